// Converts the server's reasons for refusing a canvas into texts with the names that the user sees.

import { ApiError, errorText } from '../shared/errors.js';

/**
 * @typedef {import('../widgets/canvas-state.js').Canvas} Canvas
 * @typedef {{widget: (widget: any) => string, connection: (connection: any) => string}} Names
 */

const ADVICE = 'Remove what is named here, or discard your changes.';

/**
 * The server names positions by number and id: `widgets: 2.x`, `io: widgets.w1.values`, `io: connections.0.from`.
 * Source: service/widgets/canvas_shape.py.
 * @param {unknown} error @param {Canvas} canvas the refused canvas @param {Names} names
 * @returns {string} the text for the user
 */
export function refusalText(error, canvas, names) {
  if (!(error instanceof ApiError) || error.code !== 'invalid_request') return errorText(error);
  const { widgets, io } = error.details ?? {};
  const lines = [...linesOf(widgets), ...linesOf(io)];
  const named = [...linesOf(widgets).map((line) => widgetLine(line, canvas, names)), ...linesOf(io).map((line) => ioLine(line, canvas, names))];
  if (!named.some(Boolean)) return errorText(error);
  return `This canvas is not stored. ${named.map((text, at) => text || lines[at]).join(' ')} ${ADVICE}`;
}

/** @param {unknown} lines @returns {string[]} */
function linesOf(lines) {
  return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
}

/** @param {string} line "2.x: Not a valid number." @param {Canvas} canvas @param {Names} names @returns {string} '' if it names no widget */
function widgetLine(line, canvas, names) {
  const { number, rest } = /^(?<number>\d+)\.?(?<rest>.*)$/s.exec(line)?.groups ?? {};
  const widget = canvas.widgets[Number(number)];
  return widget ? sentence(names.widget(widget), rest) : '';
}

/** @param {string} line @param {Canvas} canvas @param {Names} names @returns {string} */
function ioLine(line, canvas, names) {
  const { number, rest } = /^connections\.(?<number>\d+)\.?(?<rest>.*)$/s.exec(line)?.groups ?? {};
  const connection = canvas.io.connections[Number(number)];
  if (connection) return sentence(`Connection ${names.connection(connection)}`, rest);
  const isOf = (/** @type {{id: string}} */ { id }) => [`widgets.${id}.`, `widgets.${id}:`].some((start) => line.startsWith(start));
  const [widget] = canvas.widgets.filter(isOf).sort((a, b) => b.id.length - a.id.length); // an id may have dots
  return widget ? sentence(names.widget(widget), line.slice(`widgets.${widget.id}`.length).replace(/^\./, '')) : '';
}

/** @param {string} name @param {string} rest "x: Not a valid number." or ": Not a valid object." */
function sentence(name, rest) {
  const at = rest.indexOf(': ');
  return at > 0 ? `${name} (${rest.slice(0, at)}): ${rest.slice(at + 2)}` : `${name}: ${rest.replace(/^: /, '')}`;
}
