// Connects the parts of an open canvas: the stored state, the host of the widgets, the view, and the undo history.

import { element } from '../shared/elements.js';
import { createLiveCollection } from '../shared/live-collection.js';
import { createAllowedPanel } from '../widgets/allowed-panel.js';
import { createApprovalDialog } from '../widgets/approval.js';
import { createNames } from './canvas-names.js';
import { createWidgetSettings } from './canvas-widget-settings.js';
import { refusalText } from './refusal-text.js';
import { nameOfUser } from './user-name.js';
import { removalWords } from '../widgets/canvas-group.js';
import { createHistory } from '../widgets/canvas-history.js';
import { createCanvasStore } from '../widgets/canvas-store.js';
import { createCanvasView } from '../widgets/canvas-view.js';
import { createMessageInspector } from '../widgets/message-inspector.js';
import { createHostServer } from '../widgets/host-server.js';
import { importIo } from '../widgets/io-state.js';
import { canonical } from '../widgets/json-value.js';
import { createSessionApprovals } from '../widgets/session-approvals.js';
import { connectionId } from '../widgets/slot-refs.js';
import { createCanvasHost } from '../widgets/widget-host.js';

/**
 * @typedef {import('./canvas-gallery.js').Template} Template
 * @typedef {import('../widgets/canvas-state.js').Canvas} Canvas
 * @typedef {import('../widgets/canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('../widgets/canvas-state.js').Operation} Operation
 * @typedef {import('../widgets/slot-refs.js').SlotRef} SlotRef
 * @typedef {ReturnType<typeof createCanvasRoom>} CanvasRoom
 */

/**
 * @param {string} recordId @param {Map<string, Template>} templates by handle
 * @param {'all' | 'own' | 'none'} editable which canvases the user may change
 * @param {import('./canvas-page.js').PageContext} context
 */
export function createCanvasRoom(recordId, templates, editable, context) {
  const { announce } = context;
  const widgets = () => store.canvas?.widgets ?? [];
  const names = createNames(templates, widgets);
  const { lookOf, labelOf } = names;
  const naming = { widget: (/** @type {CanvasWidget} */ widget) => lookOf(widget).name, connection: labelOf };
  const store = createCanvasStore({ ...context, recordId, refusalText: (error, sent) => refusalText(error, sent, naming) });
  const history = createHistory({ countBroken });
  const settings = createWidgetSettings({ widgetNamed, lookOf, act, send: (id, values) => host.setSettings(id, values) });
  const view = createCanvasView({ lookOf, mount, unmount, check, connect, configure: settings.open, act, mayEdit, announce });
  const inspector = createMessageInspector({ nameOf: names.known });
  const sessions = createSessionApprovals();
  const allowed = createAllowedPanel(sessions);
  const ask = createApprovalDialog({ balance: context.balance });
  const server = createHostServer(context.transport, [...templates.values()]);
  const host = createCanvasHost({
    root: view.node,
    lazy: true,
    user: nameOfUser(context.subject, context.storage),
    ...server,
    call: (request) => server.call(request).finally(context.onTurnEnd), // reads the balance again
    widgetUrl: ({ templateHandle }) => `/w/${encodeURIComponent(templateHandle)}`,
    approve: async (request) => (view.node.isConnected ? ask(request) : 'deny'), // 'deny' after the page was left, because its frames may still ask
    sessions,
    records: (name) => createLiveCollection(name, context),
    onEvent: noteEvent,
    onState: keepState,
  });
  const links = createLinks(host, slotsOf);
  /** @type {Canvas | null} */
  let shown = null;

  /** @param {string} id */
  function widgetNamed(id) {
    return widgets().find((widget) => widget.id === id);
  }

  /** @param {CanvasWidget} widget @param {HTMLElement} into */
  function mount(widget, into) {
    const { id, templateHandle } = widget;
    const template = templates.get(templateHandle);
    if (!template) {
      into.append(element('p', { class: 'empty' }, `This server has no template “${templateHandle}”. The widget is kept.`));
      return;
    }
    const { icon, slots, permissions, collections, version } = template;
    const endpoints = template.endpoints.map(({ name }) => name);
    const facts = { templateHandle, templateName: lookOf(widget).name, icon, slots, endpoints, permissions, collections, version };
    host.mount({ id, ...facts, settings: settings.begin(widget) }, { into });
  }

  /** @param {string} id */
  function unmount(id) {
    names.forget(id);
    settings.forget(id);
    host.unmount(id);
  }

  /** @param {SlotRef} from @param {SlotRef} to */
  function check(from, to) {
    return host.check(from, to);
  }

  /** @param {SlotRef} from @param {SlotRef} to */
  function connect(from, to) {
    const connection = { id: connectionId(from, to), from, to, createdAt: new Date().toISOString(), enabled: true };
    if (act({ type: 'connect', connection })) announce(`Connected ${labelOf(connection)}.`);
  }

  function mayEdit() {
    return editable === 'all' || (editable === 'own' && store.canvas?.userId === context.subject);
  }

  /** @param {Operation} operation @returns {boolean} whether it had an effect */
  function act(operation) {
    const before = store.canvas;
    const words = before && removalWords(operation, before, naming); // made before the operation, while the names are known
    if (!before || !mayEdit() || !store.perform(operation)) return false;
    history.record(before, operation);
    if (words) announce(words);
    context.onTitle();
    return true;
  }

  /** @param {Canvas} state @returns {number} */
  function countBroken(state) {
    return importIo(state.io, slotsOf(state)).broken.length;
  }

  /** @param {Canvas} state */
  function slotsOf(state) {
    return state.widgets.map(({ id, templateHandle }) => ({ id, slots: templates.get(templateHandle)?.slots ?? [] }));
  }

  /** Shows the state, and sends the connections and the states of the widgets to the host. */
  function show() {
    const { canvas } = store;
    if (!canvas || canvas === shown) return; // only the phase of the store has changed
    shown = canvas;
    view.show(canvas, links.reasons);
    canvas.widgets.forEach(settings.update);
    if (links.send(canvas)) view.show(canvas, links.reasons);
  }

  /** @param {any} event of the host */
  function noteEvent(event) {
    const { type, channel, widgetId, message } = event;
    inspector.add(event);
    if (channel === 'port' && type === 'received') view.pass(widgetId, message);
    if (channel !== 'window' || !message?.slotId) return;
    if (type === 'sent' || type === 'received') view.noteValue({ widgetId, slotId: message.slotId });
  }

  /**
   * Stores the state of a widget and the values of its slots. Only this widget is stored, because the host may not
   * know yet the states of other widgets from another tab.
   * @param {any} io @param {string} [id] of the widget
   */
  function keepState(io, id) {
    if (id !== undefined && mayEdit()) store.perform({ type: 'note-widget', id, noted: io.widgets[id] });
  }

  /** @param {'undo' | 'redo'} way */
  function step(way) {
    const operation = store.canvas && history[way](store.canvas);
    if (operation) store.perform(operation);
    announce(operation ? `${way === 'undo' ? 'Undone' : 'Redone'}.` : `Nothing to ${way}.`);
  }

  return {
    store,
    view,
    inspector,
    allowed,
    history,
    act,
    mayEdit,
    announce,
    show,
    labelOf,
    reasonOf: (/** @type {string} */ id) => links.reasons.get(id) ?? '',
    undo: () => step('undo'),
    redo: () => step('redo'),
    stop() {
      view.close();
      allowed.stop();
      host.close();
      return store.stop();
    },
  };
}

/**
 * The connections and states of a canvas, as the host of its widgets has them.
 * @param {ReturnType<typeof createCanvasHost>} host @param {(canvas: Canvas) => any[]} slotsOf the slots of its widgets
 */
function createLinks(host, slotsOf) {
  let sent = ''; // to the host
  /** @type {Map<string, string>} why a connection does not work, by its id */
  let reasons = new Map();

  return {
    get reasons() {
      return reasons;
    },
    /** Sends a canvas to the host, unless the host has the same one. @param {Canvas} canvas @returns {boolean} whether it was sent */
    send(canvas) {
      const now = canonical([canvas.io, canvas.widgets.map(({ id }) => id)]);
      if (now === sent) return false;
      sent = now;
      host.importState(structuredClone(canvas.io));
      const { broken } = importIo(canvas.io, slotsOf(canvas));
      reasons = new Map(broken.map(({ entry, message }) => [/** @type {any} */ (entry)?.id, message]));
      return true;
    },
  };
}
