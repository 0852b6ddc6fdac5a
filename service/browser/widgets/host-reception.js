// @ts-check
// Whether a mounted widget may send and receive: it must have shown that it lives, that it is the document with the port,
// and that it does not send too much.

import { ENDED, FLOODED, LEFT, SILENT } from './host-notices.js';
import { createRateMeter } from './host-rate.js';

const ANSWER_TIME = 3_000; // ms from the load to the first message
const PONG_TIME = 3_000; // ms from a later load to an answer, which a slow machine may need as well

/**
 * @typedef {object} Surroundings
 * @property {() => ReturnType<typeof import('./host-frame.js').createFrame>} frame which a reload replaces
 * @property {ReturnType<typeof import('./host-channel.js').createChannel>} channel
 * @property {() => void} reload
 * @property {() => void} onReady called when the widget can receive; it may have missed inputs
 * @property {() => void} onGone called when the document was unloaded
 * @property {(reason: string, data?: any) => void} drop
 */

/** @param {Surroundings} surroundings */
export function createReception({ frame, channel, reload, onReady, onGone, drop }) {
  const rate = createRateMeter();
  let [loads, timer] = [0, 0];
  let [hasSpoken, isReceiving, isFlooding, isLost] = [false, false, false, false];
  let isSuspect = false; // whether the document with the port must answer first
  let hasMissed = true;

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
    onGone();
    [isReceiving, isLost] = [false, true];
    frame().show(text, 'Reload', reload);
  }

  function resume() {
    clearTimeout(timer);
    isSuspect = false;
    if (isFlooding) return;
    isReceiving = true;
    frame().hide();
    if (hasMissed) onReady();
    hasMissed = false;
  }

  /** The first message may have come after the load, in particular to a busy page. */
  function warnOfNoMessage() {
    if (!hasSpoken) frame().show(SILENT, 'Reload', reload);
  }

  /** Removes the frame, so that it sends nothing more: even dropped messages cost time and memory. @param {string} why */
  function end(why) {
    frame().iframe.remove();
    lose(why);
  }

  function pause() {
    isFlooding = true;
    isReceiving = false;
    drop('rate');
    if (isLost) return; // the notice of a lost widget stays: only a reload helps
    frame().show(FLOODED, 'Resume', () => {
      isFlooding = false;
      rate.reset();
      if (isSuspect) suspect(); // an answer during the flood was dropped
      else resume();
    });
  }

  return {
    get isReceiving() {
      return isReceiving;
    },
    get isLost() {
      return isLost;
    },
    end,

    /** Call this when the frame has loaded a document. */
    load() {
      loads += 1;
      if (loads > 1) return suspect();
      resume(); // a page without the widget client never sends a hello, and is listening now
      if (!hasSpoken) timer = setTimeout(warnOfNoMessage, ANSWER_TIME);
    },

    /** Call this when an input was not sent. */
    miss: () => void (hasMissed = true),

    /** The widget may be busy for a long time, or hang: the user decides whether to reload it. */
    warnOfSilence() {
      if (isReceiving) frame().show(SILENT, 'Reload', reload);
    },

    /** @param {any} data of a message @returns {boolean} whether the message is refused for its number or size */
    isTooMuch(data) {
      if (!isFlooding && rate.isFlood(data)) pause();
      if (isFlooding) drop('paused', data);
      if (isFlooding && rate.isEndless(data)) end(ENDED);
      return isFlooding;
    },

    /** Call this for each message of the widget. */
    hear() {
      if (!hasSpoken) frame().hide();
      hasSpoken = true;
    },

    /** Call this when the document in the frame has got a port. */
    begin() {
      [hasMissed, isLost] = [true, false];
      resume();
    },

    /** Handles a pong. Other notices than that about silence stay. */
    answer() {
      if (channel.answered() || !isReceiving) resume();
    },

    /** Begins again, for a new window in the frame. A paused widget stays paused. */
    renew() {
      clearTimeout(timer);
      channel.close();
      onGone();
      [hasSpoken, isReceiving, isLost, isSuspect] = [false, false, false, false];
      [loads, hasMissed] = [0, true];
    },

    /** Ends a pause, for a new frame. */
    resetRate() {
      rate.reset();
      isFlooding = false;
    },
  };
}
