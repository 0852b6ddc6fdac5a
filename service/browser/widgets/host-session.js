// @ts-check
// One mounted widget: its frame, its handshake, and its messages.
//
// When a document navigates, its window stays the same, but its port is lost. So calls are accepted only over the port,
// and after a second load no inputs are sent until the document at the other end of the port has answered. But if the
// page has put the frame into the document again, the frame has another window, and the widget's own page is loaded in it.

import { newId } from '../shared/ids.js';
import { createChannel } from './host-channel.js';
import { createFrame } from './host-frame.js';
import { createReception } from './host-reception.js';
import { LIMITS, TYPES, VERSION, parseWidgetPort, parseWidgetWindow } from './messages.js';

/**
 * @typedef {import('./host-options.js').CanvasWidget} CanvasWidget
 * @typedef {ReturnType<typeof createSession>} Session
 *
 * @typedef {object} Handlers the functions of the host that a session calls
 * @property {(message: any) => void} onOutput gets a parsed output of an existing slot
 * @property {(message: any) => void} onPort gets a parsed message from the port
 * @property {() => void} onWantsWidgets
 * @property {() => void} onReady called when the widget can receive; it may have missed inputs
 * @property {() => void} onGone called when the document was unloaded: its approvals end
 * @property {() => any} context
 * @property {() => any[]} widgets the descriptors of the widgets on the canvas
 * @property {(reason: string, data?: any, field?: string) => void} drop
 * @property {(event: any) => void} onEvent
 */

/**
 * @param {object} options
 * @param {CanvasWidget} options.widget
 * @param {string} options.url without a fragment
 * @param {string} options.origin of the widget's documents; 'null' in a sandbox
 * @param {HTMLElement} options.root
 * @param {import('./host-loading.js').Loading} options.loading
 * @param {import('./host-lazy-loading.js').LazyLoading | null} [options.lazyLoading]
 * @param {Handlers} options.handlers
 */
export function createSession({ widget, url, origin, root, loading, lazyLoading, handlers }) {
  const target = origin === 'null' ? '*' : origin; // no other target reaches an opaque origin
  let nonce = newId();
  let frame = newFrame();
  const channel = createChannel({ onMessage: receiveFromPort, onSilent: () => reception.warnOfSilence() });
  const { onReady, onGone, drop } = handlers;
  const reception = createReception({ frame: () => frame, channel, reload, onReady, onGone, drop });
  let slots = widget.slots;
  let wantsWidgets = false;
  /** @type {Window | null} the window of the frame; null while nothing was loaded in it */
  let known = null;

  const session = {
    widget,
    /** Whether the widget wants to know about changes of the canvas. A document that has taken its place gets nothing. */
    get wantsWidgets() {
      return wantsWidgets && !reception.isLost;
    },
    get iframe() {
      return frame.iframe;
    },
    /** @param {MessageEvent} event from the window of the frame */
    receive,
    /** Counts a message of a frame within the widget's page, which is not accepted. */
    isTooMuch: reception.isTooMuch,
    /** @param {any} message for the port; it is lost if there is no port */
    send(message) {
      channel.send(message);
      if (channel.isOpen) handlers.onEvent({ type: 'sent', widgetId: widget.id, channel: 'port', message });
    },
    /** @param {string} text @param {string} action @param {() => void} act */
    warn(text, action, act) {
      frame.show(text, action, () => {
        act();
        frame.hide();
      });
    },
    sendWidgets: () => post({ type: TYPES.widgets, widgets: handlers.widgets() }),
    /** @param {string} slotId @param {any} value @returns {boolean} */
    deliver(slotId, value) {
      const canReceive = reception.isReceiving && slots.some((slot) => slot.id === slotId);
      if (canReceive) post({ type: TYPES.input, slotId, value });
      if (canReceive) channel.expectLife();
      else reception.miss();
      return canReceive;
    },
    reload,
    load: () => frame.load(),
    end: reception.end,
    close() {
      reset();
      frame.remove();
    },
  };
  root.append(frame.box);
  return session;

  function newFrame() {
    const { id: widgetId, templateName: title, permissions = [] } = widget;
    const facts = { widgetId, title, url: `${url}#wn=${nonce}`, permissions: permissions.join('; ') };
    return createFrame({ ...facts, loading, lazyLoading, onLoad: loaded });
  }

  function loaded() {
    noteWindow();
    reception.load();
  }

  /** Begins again if the frame has another window. A widget can't cause this. */
  function noteWindow() {
    const { contentWindow } = frame.iframe;
    if (known !== null && known !== contentWindow) renew();
    known = contentWindow;
  }

  /** @param {any} message @param {Transferable[]} [transfer] */
  function post(message, transfer = []) {
    frame.iframe.contentWindow?.postMessage(message, target, transfer);
    handlers.onEvent({ type: 'sent', widgetId: widget.id, channel: 'window', message });
  }

  /** @param {MessageEvent} event */
  function receive(event) {
    noteWindow();
    if (event.origin !== origin) return handlers.drop('wrong_origin', event.data);
    if (reception.isTooMuch(event.data)) return;
    const { message, dropped, field } = parseWidgetWindow(event.data);
    if (dropped) return handlers.drop(dropped, event.data, field);
    if (message.type === TYPES.hello) return welcome(message);
    if (reception.isLost) return handlers.drop('paused', message);
    note(message, 'window');
    if (message.type === TYPES.getWidgets) session.sendWidgets();
    else if (hasOutput(message.slotId)) handlers.onOutput(message);
    else handlers.drop('unknown_slot', message);
  }

  /** @param {any} message @param {string} channel */
  function note(message, channel) {
    reception.hear();
    handlers.onEvent({ type: 'received', widgetId: widget.id, channel, message });
  }

  /** @param {string} slotId */
  function hasOutput(slotId) {
    return slots.some(({ id, direction }) => id === slotId && direction === 'output');
  }

  /** @param {any} hello */
  function welcome(hello) {
    if (hello.nonce !== nonce) return handlers.drop('wrong_nonce', hello);
    note(hello, 'window');
    if (channel.isOpen) handlers.onGone(); // the document with the old port was loaded again
    slots = widget.slots.filter(({ id }) => !hello.slots || hello.slots.includes(id));
    const { id: widgetId } = widget;
    const context = handlers.context();
    const greeting = { type: TYPES.welcome, v: VERSION, nonce, mode: 'canvas', widgetId, slots, context, limits: LIMITS };
    post(greeting, [channel.open()]);
    wantsWidgets = hello.wants?.includes('widgets') ?? false;
    if (wantsWidgets) handlers.onWantsWidgets();
    reception.begin();
  }

  /** @param {any} data */
  function receiveFromPort(data) {
    if (reception.isTooMuch(data)) return;
    const { message, dropped, field } = parseWidgetPort(data);
    if (dropped) return handlers.drop(dropped, data, field);
    if (message.type === TYPES.pong) return reception.answer();
    note(message, 'port');
    if (message.type === TYPES.ping) session.send({ type: TYPES.pong });
    else if (message.type === TYPES.outputForce && !hasOutput(message.slotId)) handlers.drop('unknown_slot', message);
    else handlers.onPort(message);
  }

  /** Replaces the frame with a new one; the connections stay. */
  function reload() {
    const old = frame;
    const hadFocus = old.hasFocus();
    reset();
    nonce = newId();
    frame = newFrame();
    old.box.replaceWith(frame.box);
    old.remove();
    if (hadFocus) frame.focus();
  }

  function reset() {
    reception.resetRate();
    renew();
    known = null;
  }

  function renew() {
    reception.renew();
    [slots, wantsWidgets] = [widget.slots, false];
  }
}
