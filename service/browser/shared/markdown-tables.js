// Parses the rows of tables. Source: GitHub's Markdown specification.

/** @typedef {'' | 'left' | 'center' | 'right'} Alignment */

// Without a limit, short rows could create very many cells: each row gets as many as its table has columns.
const MOST_COLUMNS = 100;

/** @param {string} line @returns {Alignment[] | null} null if the line is not the delimiter row of a table */
export function alignmentsOf(line) {
  if (!line.includes('|') || !/^[|:\- \t]+$/.test(line)) return null;
  const cells = cellsOf(line);
  if (cells.length > MOST_COLUMNS || !cells.every((cell) => /^:?-+:?$/.test(cell))) return null;
  return cells.map((cell) => {
    if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right';
    return cell.startsWith(':') ? 'left' : '';
  });
}

/** @param {string} line @returns {string[]} the texts of a row's cells */
export function cellsOf(line) {
  const text = line.trim();
  const cells = [];
  let cell = '';
  for (let at = text[0] === '|' ? 1 : 0; at < text.length; at += 1) {
    if (text[at] === '|') {
      cells.push(cell.trim());
      cell = '';
    } else if (text[at] === '\\' && at + 1 < text.length) {
      at += 1;
      cell += text[at] === '|' ? '|' : `\\${text[at]}`;
    } else cell += text[at];
  }
  if (cell.trim() || !text.endsWith('|')) cells.push(cell.trim());
  return cells;
}
