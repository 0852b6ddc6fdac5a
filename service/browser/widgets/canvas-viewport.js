// Computes pan and zoom: which part of a canvas is visible, and where. Pure functions.

import { SLOTS_WIDTH } from './canvas-geometry.js';

/**
 * @typedef {import('./canvas-geometry.js').Point} Point
 * @typedef {import('./canvas-geometry.js').Box} Box
 * @typedef {{x: number, y: number, zoom: number}} Viewport `x` and `y` are the position of the canvas's
 *   origin, in CSS pixels from the upper left corner of the view
 * @typedef {{width: number, height: number}} Size
 */

export const LEAST_ZOOM = 0.1;
export const MOST_ZOOM = 4;
const FIT_MARGIN = 40; // CSS pixels
const SLOTS_MARGIN = 4; // CSS pixels, beside the outermost slots

/** @param {Viewport} viewport @param {Point} point of the canvas @returns {Point} */
export function toScreen({ x, y, zoom }, point) {
  return { x: point.x * zoom + x, y: point.y * zoom + y };
}

/** @param {Viewport} viewport @param {Point} point of the screen @returns {Point} */
export function toCanvas({ x, y, zoom }, point) {
  return { x: (point.x - x) / zoom, y: (point.y - y) / zoom };
}

/** @param {Viewport} viewport @param {number} dx CSS pixels @param {number} dy @returns {Viewport} */
export function panViewport({ x, y, zoom }, dx, dy) {
  return { x: x + dx, y: y + dy, zoom };
}

/**
 * @param {Viewport} viewport @param {number} factor
 * @param {Point} point of the screen; the point of the canvas under it stays there
 * @returns {Viewport}
 */
export function zoomViewport(viewport, factor, point) {
  const zoom = clampZoom(viewport.zoom * factor);
  const fixed = toCanvas(viewport, point);
  return { x: point.x - fixed.x * zoom, y: point.y - fixed.y * zoom, zoom };
}

/**
 * Follows two fingers: the points of the canvas under the fingers stay under them.
 * @param {Viewport} viewport @param {[Point, Point]} before of the screen @param {[Point, Point]} after
 * @returns {Viewport}
 */
export function pinchViewport(viewport, before, after) {
  const [start, end] = [middle(before), middle(after)];
  const factor = span(after) / Math.max(1, span(before));
  return zoomViewport(panViewport(viewport, end.x - start.x, end.y - start.y), factor, end);
}

/**
 * Shows a whole box in the middle, with a zoom of at most 1.
 * @param {Box | null} box null for an empty canvas @param {Size} size of the view
 * @param {Box | null} [outer] the box with the slots beside it, which become visible too
 * @returns {Viewport}
 */
export function fitViewport(box, size, outer = box) {
  if (!box || !outer) return { x: 0, y: 0, zoom: 1 };
  const across = (size.width - 2 * FIT_MARGIN) / Math.max(1, box.width);
  const acrossSlots = (size.width - 2 * SLOTS_MARGIN) / Math.max(1, outer.width);
  const down = (size.height - 2 * FIT_MARGIN) / Math.max(1, box.height);
  const zoom = clampZoom(Math.min(1, across, acrossSlots, down));
  const x = size.width / 2 - (box.x + box.width / 2) * zoom;
  const [least, most] = [SLOTS_MARGIN - outer.x * zoom, size.width - SLOTS_MARGIN - (outer.x + outer.width) * zoom];
  return { x: Math.max(least, Math.min(most, x)), y: size.height / 2 - (box.y + box.height / 2) * zoom, zoom };
}

/**
 * Pans as little as needed to show a widget with the slots on both sides, as far as there is room. If the widget is
 * larger than the view, its upper left corner is shown.
 * @param {Viewport} viewport @param {Box} box of the widget @param {Size} size
 * @returns {Viewport}
 */
export function revealBox(viewport, box, size) {
  const room = (size.width / viewport.zoom - box.width) / 2;
  const beside = Math.max(0, Math.min(SLOTS_WIDTH, room));
  const start = toScreen(viewport, { x: box.x - beside, y: box.y });
  const end = toScreen(viewport, { x: box.x + box.width + beside, y: box.y + box.height });
  return panViewport(viewport, shift(start.x, end.x, size.width), shift(start.y, end.y, size.height));
}

/** @param {number} start @param {number} end @param {number} room @returns {number} */
function shift(start, end, room) {
  if (start < 0 || end - start > room) return -start;
  return Math.min(0, room - end);
}

/** @param {number} zoom */
function clampZoom(zoom) {
  return Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom));
}

/** @param {[Point, Point]} points @returns {Point} */
function middle([a, b]) {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** @param {[Point, Point]} points */
function span([a, b]) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
