// @ts-check
// One mounted widget: its frame, its handshake, and whether it may speak and receive.
//
// A document that navigates keeps its window, but loses its port. So calls go over the port alone,
// and a second load stops the inputs until the document at the other end of the port has answered.

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
 * @typedef {object} Handlers what a session asks of the host
 * @property {(message: any) => void} onOutput a parsed output, of an effective slot
 * @property {(message: any) => void} onPort a parsed message of the port
 * @property {() => void} onWantsWidgets
 * @property {() => void} onReady the widget can receive, and may have missed inputs
 * @property {() => void} onGone its document is gone, with all that was allowed to it
 * @property {() => any} context
 * @property {() => any[]} widgets descriptors of the canvas
 * @property {(reason: string, data?: any, field?: string) => void} drop
 * @property {(event: any) => void} onEvent
 */

/**
 * @param {object} options
 * @param {CanvasWidget} options.widget
 * @param {string} options.url without a fragment
 * @param {string} options.origin of the widget's documents; 'null' for those in a sandbox
 * @param {HTMLElement} options.root
 * @param {import('./host-loading.js').Loading} options.loading
 * @param {import('./host-nearness.js').Nearness | null} [options.nearness]
 * @param {Handlers} options.handlers
 */
export function createSession({ widget, url, origin, root, loading, nearness, handlers }) {
  const target = origin === 'null' ? '*' : origin; // no other target reaches an opaque origin
  const rate = createRateMeter();
  let nonce = newId();
  let frame = newFrame();
  const channel = createChannel({ onMessage: receiveFromPort, onSilent });
  let [loads, timer] = [0, 0];
  let [hasSpoken, isReceiving, isFlooding, isLost] = [false, false, false, false];
  let isSuspect = false; // until the document that has the port answers
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
    /** @param {any} message on the port; lost where there is none */
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
    return createFrame({ ...facts, loading, nearness, onLoad });
  }

  /** @param {any} message @param {Transferable[]} [transfer] */
  function post(message, transfer = []) {
    frame.iframe.contentWindow?.postMessage(message, target, transfer);
    handlers.onEvent({ type: 'sent', widgetId: widget.id, channel: 'window', message });
  }

  function onLoad() {
    loads += 1;
    if (loads > 1) return suspect();
    resume(); // a page without our client never says hello, and is listening now
    if (!hasSpoken) timer = setTimeout(() => frame.show(SILENT, 'Reload', reload), ANSWER_TIME);
  }

  /** Another document may be in the frame: only the one that has the port can prove that it is the widget's. */
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

  /** It may be at work for long, or hang: the user chooses. */
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

  /** A message costs time and memory also where it is dropped: without its frame nothing sends any. @param {string} why */
  function end(why) {
    frame.iframe.remove();
    lose(why);
  }

  function pause() {
    isFlooding = true;
    isReceiving = false;
    handlers.drop('rate');
    if (isLost) return; // its notice has the only way out
    frame.show(FLOODED, 'Resume', () => {
      isFlooding = false;
      rate.reset();
      if (isSuspect) suspect(); // an answer during the flood was not heard
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
    if (channel.isOpen) handlers.onGone(); // the document that had it has been loaded again
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

  /** A notice of somebody else's stays. */
  function answered() {
    if (channel.answered() || !isReceiving) resume();
  }

  /** A new frame in the place of the old one; connections stay. */
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
