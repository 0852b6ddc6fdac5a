// The keys of a grid: the whole grid is one tab stop, and the arrow keys move from cell to cell.
// Source: https://www.w3.org/WAI/ARIA/apg/patterns/grid/

const STEPS = new Map([
  ['ArrowUp', [-1, 0]],
  ['ArrowDown', [1, 0]],
  ['ArrowLeft', [0, -1]],
  ['ArrowRight', [0, 1]],
  ['PageUp', [-10, 0]],
  ['PageDown', [10, 0]],
]);

/** @typedef {{row: number, column: number}} Place row 0 is the row of headers */

/**
 * The place to which a key moves; null for a key that does not move.
 * @param {{key: string, ctrlKey?: boolean, metaKey?: boolean}} press @param {Place} from
 * @param {{rows: number, columns: number}} size with the row of headers @returns {Place | null}
 */
export function placeAfter({ key, ctrlKey, metaKey }, { row, column }, { rows, columns }) {
  const far = ctrlKey || metaKey;
  if (key === 'Home') return { row: far ? 0 : row, column: 0 };
  if (key === 'End') return { row: far ? rows - 1 : row, column: columns - 1 };
  const step = STEPS.get(key);
  if (!step) return null;
  const within = (/** @type {number} */ n, /** @type {number} */ most) => Math.max(0, Math.min(most - 1, n));
  return { row: within(row + step[0], rows), column: within(column + step[1], columns) };
}

/** The element of a cell that can have the focus: its link, button or checkbox, or else the cell itself. @param {Element} cell @returns {HTMLElement} */
function targetIn(cell) {
  return /** @type {HTMLElement} */ (cell.querySelector('a, button, input[type="checkbox"]') ?? cell);
}

/** @param {HTMLTableElement} table whose rows change @returns {{moveTo: (place: Place) => void, place: () => Place, tidy: () => void}} */
export function letArrowsMove(table) {
  /** @type {HTMLElement | null} the only tab stop */
  let stop = null;

  /** @param {HTMLElement} target */
  function setStop(target) {
    if (stop !== target) stop?.setAttribute('tabindex', '-1');
    stop = target;
    stop.setAttribute('tabindex', '0');
  }

  /** @returns {Place} the place of the tab stop */
  function place() {
    const cell = stop?.closest('td, th');
    if (!cell || !table.contains(cell)) return { row: 0, column: 0 };
    const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
    return { row: row.rowIndex, column: /** @type {HTMLTableCellElement} */ (cell).cellIndex };
  }

  /** @param {Place} to */
  function moveTo({ row, column }) {
    const cells = table.rows[Math.min(row, table.rows.length - 1)].cells;
    const target = targetIn(cells[Math.min(column, cells.length - 1)]);
    setStop(target);
    target.focus();
  }

  /** Call this after rows were removed, so that the tab stop is in the table again. */
  function tidy() {
    if (stop && table.contains(stop)) return;
    setStop(targetIn(table.rows[Math.min(1, table.rows.length - 1)].cells[0]));
  }

  table.addEventListener('focusin', ({ target }) => {
    const cell = /** @type {HTMLElement} */ (target).closest('td, th');
    if (cell && targetIn(cell) === target) setStop(/** @type {HTMLElement} */ (target));
  });
  table.addEventListener('keydown', (event) => {
    if (event.target !== stop || event.altKey) return;
    const size = { rows: table.rows.length, columns: table.rows[0].cells.length };
    const to = placeAfter(event, place(), size);
    if (!to) return;
    event.preventDefault();
    moveTo(to);
  });
  return { moveTo, place, tidy };
}
