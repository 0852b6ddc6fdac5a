// @ts-check
// One mounted widget: its frame, its handshake, and whether it may send and receive.
//
// When a document navigates, its window stays the same, but its port is lost. So calls are accepted only over the port,
// and after a second load no inputs are sent until the document at the other end of the port has answered.

import { newId } from '../shared/ids.js';
import { createChannel } from './host-channel.js';
import { createFrame } from './host-frame.js';
import { ENDED, FLOODED, LEFT, SILENT } from './host-notices.js';
import { createRateMeter } from './host-rate.js';
import { LIMITS, TYPES, VERSION, parseWidgetPort, parseWidgetWindow } from './messages.js';

const ANSWER_TIME = 3_000; // ms from the load to the first message
const PONG_TIME = 1_000; // ms

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
  const rate = createRateMeter();
  let nonce = newId();
  let frame = newFrame();
  const channel = createChannel({ onMessage: receiveFromPort, onSilent });
  let [loads, timer] = [0, 0];
  let [hasSpoken, isReceiving, isFlooding, isLost] = [false, false, false, false];
  let isSuspect = false; // whether the session waits for the document with the port to answer
  let hasMissed = true;
  let slots = widget.slots;

  const session = {
    widget,
    wantsWidgets: false,
    get iframe() {
      return frame.iframe;
    },
    /** @param {MessageEvent} event from the window of the frame */
    receive,
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
      const canReceive = isReceiving && slots.some((slot) => slot.id === slotId);
      if (canReceive) post({ type: TYPES.input, slotId, value });
      if (canReceive) channel.expectLife();
      else hasMissed = true;
      return canReceive;
    },
    reload,
    load: () => frame.load(),
    end,
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
    return createFrame({ ...facts, loading, lazyLoading, onLoad });
  }

  /** @param {any} message @param {Transferable[]} [transfer] */
  function post(message, transfer = []) {
    frame.iframe.contentWindow?.postMessage(message, target, transfer);
    handlers.onEvent({ type: 'sent', widgetId: widget.id, channel: 'window', message });
  }

  function onLoad() {
    loads += 1;
    if (loads > 1) return suspect();
    resume(); // a page without the widget client never sends a hello, and is listening now
    if (!hasSpoken) timer = setTimeout(() => frame.show(SILENT, 'Reload', reload), ANSWER_TIME);
  }

  /** Another document may be in the frame. Only the document that has the port can prove that it belongs to the widget. */
  function suspect() {
    clearTimeout(timer);
    [isReceiving, isSuspect] = [false, true];
    if (!channel.isOpen) return lose();
    timer = setTimeout(() => lose(), PONG_TIME);
    channel.ping();
  }

  function lose(text = LEFT) {
    channel.close();
    handlers.onGone();
    [isReceiving, isLost] = [false, true];
    frame.show(text, 'Reload', reload);
  }

  /** The widget may be busy for a long time, or hang: the user decides whether to reload it. */
  function onSilent() {
    if (isReceiving) frame.show(SILENT, 'Reload', reload);
  }

  function resume() {
    clearTimeout(timer);
    isSuspect = false;
    if (isFlooding) return;
    isReceiving = true;
    frame.hide();
    if (hasMissed) handlers.onReady();
    hasMissed = false;
  }

  /** @param {any} data @returns {boolean} whether the message is refused for its number or size */
  function isTooMuch(data) {
    if (!isFlooding && rate.isFlood(data)) pause();
    if (isFlooding) handlers.drop('paused', data);
    if (isFlooding && rate.isEndless(data)) end(ENDED);
    return isFlooding;
  }

  /** Removes the frame, so that it sends nothing more: even dropped messages cost time and memory. @param {string} why */
  function end(why) {
    frame.iframe.remove();
    lose(why);
  }

  function pause() {
    isFlooding = true;
    isReceiving = false;
    handlers.drop('rate');
    if (isLost) return; // the notice of a lost widget stays: only a reload helps
    frame.show(FLOODED, 'Resume', () => {
      isFlooding = false;
      rate.reset();
      if (isSuspect) suspect(); // an answer during the flood was dropped
      else resume();
    });
  }

  /** @param {MessageEvent} event */
  function receive(event) {
    if (event.origin !== origin) return handlers.drop('wrong_origin', event.data);
    if (isTooMuch(event.data)) return;
    const { message, dropped, field } = parseWidgetWindow(event.data);
    if (dropped) return handlers.drop(dropped, event.data, field);
    if (message.type === TYPES.hello) return welcome(message);
    if (isLost) return handlers.drop('paused', message);
    note(message, 'window');
    if (message.type === TYPES.getWidgets) session.sendWidgets();
    else if (hasOutput(message.slotId)) handlers.onOutput(message);
    else handlers.drop('unknown_slot', message);
  }

  /** @param {any} message @param {string} channel */
  function note(message, channel) {
    if (!hasSpoken) frame.hide();
    hasSpoken = true;
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
    session.wantsWidgets = hello.wants?.includes('widgets') ?? false;
    if (session.wantsWidgets) handlers.onWantsWidgets();
    [hasMissed, isLost] = [true, false];
    resume();
  }

  /** @param {any} data */
  function receiveFromPort(data) {
    if (isTooMuch(data)) return;
    const { message, dropped, field } = parseWidgetPort(data);
    if (dropped) return handlers.drop(dropped, data, field);
    if (message.type === TYPES.pong) return answered();
    note(message, 'port');
    if (message.type === TYPES.ping) session.send({ type: TYPES.pong });
    else if (message.type === TYPES.outputForce && !hasOutput(message.slotId)) handlers.drop('unknown_slot', message);
    else handlers.onPort(message);
  }

  /** Handles a pong. Other notices than that about silence stay. */
  function answered() {
    if (channel.answered() || !isReceiving) resume();
  }

  /** Replaces the frame with a new one; the connections stay. */
  function reload() {
    const old = frame;
    reset();
    nonce = newId();
    frame = newFrame();
    old.box.replaceWith(frame.box);
    old.remove();
  }

  function reset() {
    clearTimeout(timer);
    channel.close();
    handlers.onGone();
    rate.reset();
    [hasSpoken, isReceiving, isFlooding, isLost, isSuspect] = [false, false, false, false, false];
    [loads, hasMissed] = [0, true];
    [slots, session.wantsWidgets] = [widget.slots, false];
  }
}
