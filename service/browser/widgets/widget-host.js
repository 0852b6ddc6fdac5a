// @ts-check
// The host of a canvas: it mounts widgets in sandboxed frames, delivers values between them, and makes their API calls
// after the user has approved them. Widgets never get a token.
// Source: docs/contract.md, section 12.

import { shapeId } from './canvas-state.js';
import { createApprovals } from './host-approvals.js';
import { createConsentNeeds } from './host-consents.js';
import { onContextChange, readContext } from './host-context.js';
import { createDrops, NOBODY } from './host-drops.js';
import { keepKeyboard } from './host-focus.js';
import { createHostIo } from './host-io.js';
import { createLoading } from './host-loading.js';
import { createMounted } from './host-mounted.js';
import { mountWidget } from './host-mounting.js';
import { createLazyLoading } from './host-lazy-loading.js';
import { GREEDY, REFUSED } from './host-notices.js';
import { createRefusalCounter } from './host-refusals.js';
import { createWiring } from './host-wiring.js';
import { TYPES } from './messages.js';

/**
 * @typedef {import('./host-options.js').HostOptions} HostOptions
 * @typedef {import('./host-options.js').CanvasWidget} CanvasWidget
 * @typedef {import('./host-session.js').Session} Session
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 * @typedef {ReturnType<typeof createCanvasHost>} CanvasHost
 */

/** @param {HostOptions} options @returns {import('./widget-host.d.ts').CanvasHost} */
export function createCanvasHost(options) {
  const { root, user, onEvent = () => {}, onState = () => {} } = options;
  const mounted = createMounted();
  /** @type {Map<string, {record: CanvasWidget, receive: (slotId: string, value: any) => void}>} */
  const siblings = new Map();
  const refusals = createRefusalCounter((id) => mounted.named(id)?.warn(REFUSED, 'Ask again', () => refusals.renew(id)));
  const approvals = createApprovals(options.approve, refusals, options.sessions);
  const needs = createConsentNeeds();
  const loading = createLoading();
  const lazyLoading = options.lazy ? createLazyLoading(root) : null;
  const drops = createDrops((drop) => onEvent({ ...drop, type: 'drop', message: drop.type }));
  const wiring = createWiring({ onChange: (widgetId) => changed(widgetId) });
  const io = createHostIo({
    graph: wiring.current,
    deliver,
    onOutput: (widgetId) => wiring.keep(widgetId),
    onDrop: (widgetId, reason, slotId) => drops.note(widgetId, reason, { type: TYPES.output }, slotId),
  });
  const surroundings = { options, io, wiring, drops, approvals, needs, refusals, loading, lazyLoading, onEvent, contextOf, descriptors };
  let isClosed = false;

  /** @param {string} [widgetId] of the widget whose state or values have changed; absent if connections have changed */
  function changed(widgetId) {
    if (!isClosed) onState(wiring.exportState(), widgetId);
  }

  /** @param {{widgetId: string, slotId: string, value: any}} delivery */
  function deliver({ widgetId, slotId, value }) {
    siblings.get(widgetId)?.receive(slotId, value);
    return mounted.named(widgetId)?.deliver(slotId, value) ?? true;
  }

  /** @param {MessageEvent} event */
  function receive(event) {
    const sender = mounted.inWindow(event.source);
    if (sender) return sender.receive(event);
    // A widget is responsible for the frames within its page: otherwise it could send through them without any limit.
    if (mounted.around(event.source)?.isTooMuch(event.data)) return undefined;
    return drops.note(NOBODY, 'unknown_source', event.data);
  }

  function descriptors() {
    const records = mounted.all().map(({ widget }) => widget);
    return [...records, ...[...siblings.values()].map(({ record }) => record)].map(descriptorOf);
  }

  function announce() {
    for (const session of mounted.all()) if (session.wantsWidgets) session.sendWidgets();
  }

  /** Loads the widgets that give values to others, because they must work even if they are not visible. */
  function loadSources() {
    for (const { from } of wiring.current().connections) mounted.named(from.widgetId)?.load();
  }

  function sendContext() {
    mounted.all().forEach(sendContextTo);
  }

  /** @param {Session} session */
  function sendContextTo(session) {
    session.send({ type: TYPES.hostContext, context: contextOf(session.widget) });
  }

  /** @param {CanvasWidget} widget */
  function contextOf({ settings = {} }) {
    return { ...readContext(root), settings, ...(user && { user }) };
  }

  addEventListener('message', receive);
  const endContext = onContextChange(sendContext);
  const freeKeyboard = keepKeyboard(mounted.inFrame, (session) => session.end(GREEDY));

  const host = {
    /**
     * @param {CanvasWidget} widget
     * @param {{into?: HTMLElement}} [place] the parent; the frame is never moved to another one
     * @returns {HTMLIFrameElement}
     */
    mount(widget, { into = root } = {}) {
      io.put(wiring.add(widget)); // throws if the id is in use
      const session = mountWidget({ ...widget }, into, surroundings);
      mounted.add(session);
      announce();
      return session.iframe;
    },

    /** Removes a widget with its connections. @param {string} id */
    unmount(id) {
      mounted.remove(id);
      io.forget(id);
      drops.forget(id);
      refusals.renew(id);
      wiring.remove(id);
      announce();
    },

    /**
     * Adds a part of the canvas that is not a frame, but has slots like a widget.
     * @param {CanvasWidget} record @param {(slotId: string, value: any) => void} receiveInput
     * @returns {{set: (slotId: string, value: any) => void, remove: () => void}}
     */
    join(record, receiveInput) {
      io.put(wiring.add(record));
      siblings.set(record.id, { record, receive: receiveInput });
      announce();
      const remove = () => {
        siblings.delete(record.id);
        host.unmount(record.id);
      };
      return { set: (slotId, value) => io.set(record.id, slotId, value), remove };
    },

    /** @param {string} id */
    reload: (id) => mounted.named(id)?.reload(),
    /** @param {string} id @returns {HTMLIFrameElement | undefined} a reload replaces it */
    frame: (id) => mounted.named(id)?.iframe,
    /** @param {SlotRef} from @param {SlotRef} to */
    check: (from, to) => wiring.current().check(from, to),
    /** Throws `IoError`. @param {SlotRef} from @param {SlotRef} to */
    connect(from, to) {
      const { connection, deliveries } = wiring.connect(from, to);
      io.put(deliveries);
      loadSources();
      return connection;
    },
    /** @param {string} id of a connection */
    disconnect: (id) => wiring.disconnect(id),
    exportState: () => wiring.exportState(),
    /** @param {unknown} state @returns {import('./io-state.js').Broken[]} the connections that do not work, with reasons */
    importState(state) {
      const { broken, deliveries, changed: others } = wiring.importState(state);
      for (const id of others) mounted.named(id)?.send({ type: TYPES.stateChanged, value: wiring.stateOf(id) });
      io.put(deliveries);
      loadSources();
      return broken;
    },
    /** @param {string} id of a widget, or '' for senders that are not widgets; returns the counts by reason */
    drops: drops.of,
    sendContext,
    /** @param {string} id @param {Record<string, any>} settings which are sent to the widget */
    setSettings(id, settings) {
      const session = mounted.named(id);
      if (!session) return;
      session.widget.settings = settings;
      sendContextTo(session);
    },

    /** Removes all widgets and listeners of the host from the page. */
    close() {
      isClosed = true; // so that unmounting is not stored as a removal of the widgets
      for (const id of [...mounted.all().map(({ widget }) => widget.id), ...siblings.keys()]) host.unmount(id);
      siblings.clear();
      lazyLoading?.stop();
      io.stop();
      endContext();
      freeKeyboard();
      removeEventListener('message', receive);
    },
  };
  return host;
}

/** @param {CanvasWidget} widget of which only the keys in SPEC are returned */
function descriptorOf({ id, templateHandle, templateName, icon }) {
  return { id, shapeId: shapeId({ id }), templateHandle, templateName, icon };
}
