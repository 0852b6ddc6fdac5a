// Rows of tables, as GitHub's Markdown has them.

/** @typedef {'' | 'left' | 'center' | 'right'} Alignment */

// A row of two characters may have as many cells as its table has columns.
const MOST_COLUMNS = 100;

/** @param {string} line @returns {Alignment[] | null} null if it is not the line below a table's head */
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
