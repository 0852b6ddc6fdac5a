// The views of the console, and the view for unknown routes.

import { createChatView } from '../chat/chat-view.js';
import { createLazyView } from '../page/lazy-view.js';
import { hrefOf } from '../page/route.js';
import { element } from '../shared/elements.js';

/**
 * @typedef {import('../page/view.js').View} View
 * @typedef {import('../page/view.js').ViewContext} ViewContext
 * @typedef {import('./header.js').Entry & {alias?: string, create: (context: ViewContext) => View}} Entry
 *   `alias` is another name for the view in routes
 */

export const CHAT = { name: 'chat', label: 'Chat', create: createChatView };

/** The views, in the order of the menu. @type {Entry[]} */
export const VIEWS = [
  CHAT,
  { name: 'data', label: 'Data', create: createData },
  { name: 'connections', label: 'Connections', create: createConnections },
  { name: 'canvas', alias: 'canvases', label: 'Canvases', create: createCanvases },
  { name: 'explorer', label: 'Explorer', create: createExplorer },
  { name: 'usage', label: 'Usage', create: createUsage },
  { name: 'admin', label: 'Admin', role: 'admin', create: createAdmin },
];

/** @type {Entry} */
const NOWHERE = { name: '', label: '', create: createNowhere };

/** @param {string} name as in the route @returns {Entry} */
export function viewNamed(name) {
  return VIEWS.find((entry) => entry.name === name || entry.alias === name) ?? NOWHERE;
}

/** @returns {View} */
function createNowhere() {
  const link = element('a', { href: hrefOf(CHAT.name) }, 'Go to the chat');
  const node = element('p', { class: 'page-note' }, 'This page does not exist. ', link);
  return { node, title: 'Page not found', show() {}, refresh() {}, focus: () => link.focus(), stop() {} };
}

/** @param {ViewContext} context @returns {View} */
function createData(context) {
  const load = () => import('../data/data-view.js').then(({ createDataView }) => createDataView);
  return createLazyView(context, { title: 'Data', styles: ['../data/data.css', '../data/undo-line.css'], load });
}

/** @param {ViewContext} context @returns {View} */
function createConnections(context) {
  const load = () => import('../integrations/connections-view.js').then((module) => module.createConnectionsView);
  return createLazyView(context, { title: 'Connections', styles: [], load });
}

/** @param {ViewContext} context @returns {View} */
function createCanvases(context) {
  return createLazyView(context, {
    title: 'Canvases',
    styles: ['../shared/schema-form.css', '../canvases/canvases.css', '../widgets/canvas.css', '../widgets/approval.css', '../widgets/message-log.css'],
    load: () => import('../canvases/canvases-view.js').then(({ createCanvasesView }) => createCanvasesView),
  });
}

/** @param {ViewContext} context @returns {View} */
function createExplorer(context) {
  const load = () => import('../integrations/explorer-view.js').then((module) => module.createExplorerView);
  return createLazyView(context, { title: 'Explorer', styles: ['../shared/schema-form.css', '../integrations/explorer.css', '../integrations/answer.css', '../widgets/approval.css'], load });
}

/** @param {ViewContext} context @returns {View} */
function createUsage(context) {
  const load = () => import('../usage/usage-view.js').then((module) => module.createUsageView);
  return createLazyView(context, { title: 'Usage', styles: ['../page/sheet.css', '../usage/usage.css'], load });
}

/** @param {ViewContext} context @returns {View} */
function createAdmin(context) {
  const load = () => import('../admin/admin-view.js').then(({ createAdminView }) => createAdminView);
  return createLazyView(context, { title: 'Admin', styles: ['../page/sheet.css', '../admin/admin.css'], load });
}
