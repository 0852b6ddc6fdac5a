// Nodes are made one by one and texts set as text: no HTML string ever reaches the document.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @param {string} tag
 * @param {Record<string, any>} [props] attributes; `on` holds listeners, `data` data attributes,
 *   `value` and `checked` are set as properties; true is an empty attribute, false and null none
 * @param {...Child} children
 * @returns {any}
 */
export function element(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') listen(node, value);
    else if (name === 'data') Object.assign(node.dataset, value);
    else if (name === 'value' || name === 'checked') /** @type {any} */ (node)[name] = value;
    else if (value !== false && value != null) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...present(children));
  return node;
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function present(children) {
  return /** @type {(Node | string)[]} */ (children.filter((c) => c || c === ''));
}

/** @param {Node} node @param {Record<string, (event: any) => void>} handlers */
function listen(node, handlers) {
  for (const [type, handler] of Object.entries(handlers)) node.addEventListener(type, handler);
}

const PATHS = {
  brand: 'M3 4.5h10M3 8h10M3 11.5h6',
  plus: 'M8 3v10M3 8h10',
  pencil: 'M10.8 3.2l2 2L5.6 12.4l-2.7.7.7-2.7z',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  stop: 'M4.5 4.5h7v7h-7z',
  send: 'M8 13V3.5M4 7.3l4-4 4 4',
  check: 'M3.5 8.5l3 3 6-7',
  chevron: 'M6 4l4 4-4 4',
  down: 'M8 3v9.5M4 8.7l4 4 4-4',
  cross: 'M4 4l8 8M12 4l-8 8',
  dot: 'M8 8h.01',
  reload: 'M12.5 8a4.5 4.5 0 1 1-1.3-3.2M12.7 2.5v2.8H9.9',
};

/**
 * A drawing that says nothing by itself: the control around it has the name.
 * @param {keyof typeof PATHS} name
 */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const drawing = document.createElementNS(space, 'svg');
  drawing.setAttribute('viewBox', '0 0 16 16');
  drawing.setAttribute('class', `icon icon-${name}`);
  drawing.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', PATHS[name]);
  drawing.append(path);
  return drawing;
}

/**
 * @param {keyof typeof PATHS} name @param {string} label @param {(event: any) => void} act
 * @param {Record<string, any>} [props]
 */
export function iconButton(name, label, act, props = {}) {
  const named = { type: 'button', class: 'icon-button', 'aria-label': label, title: label };
  return element('button', { ...named, on: { click: act }, ...props }, icon(name));
}

/**
 * Puts nodes into this order under their parent, moving as few as need be. What has the focus
 * keeps it, where the browser can move a node without taking it out first.
 * @param {any} parent @param {Node[]} nodes
 */
export function arrange(parent, nodes) {
  nodes.forEach((node, at) => {
    const there = parent.childNodes[at] ?? null;
    if (there === node) return;
    if (node.parentNode === parent && parent.moveBefore) parent.moveBefore(node, there);
    else parent.insertBefore(node, there);
  });
}
