// @ts-check
// Mounts a widget: makes its session, with its calls, its records and the receiver of the messages on its port.

import { createCalls } from './host-calls.js';
import { createPortReceiver } from './host-port.js';
import { createHostRecords } from './host-records.js';
import { createResizer } from './host-resize.js';
import { createSession } from './host-session.js';

/**
 * @typedef {import('./host-options.js').CanvasWidget} CanvasWidget
 *
 * @typedef {object} Surroundings what the widgets of a host share
 * @property {import('./host-options.js').HostOptions} options
 * @property {ReturnType<typeof import('./host-io.js').createHostIo>} io
 * @property {ReturnType<typeof import('./host-wiring.js').createWiring>} wiring
 * @property {ReturnType<typeof import('./host-drops.js').createDrops>} drops
 * @property {ReturnType<typeof import('./host-approvals.js').createApprovals>} approvals
 * @property {ReturnType<typeof import('./host-consents.js').createConsentNeeds>} needs
 * @property {ReturnType<typeof import('./host-refusals.js').createRefusalCounter>} refusals
 * @property {import('./host-loading.js').Loading} loading
 * @property {import('./host-lazy-loading.js').LazyLoading | null} lazyLoading
 * @property {(event: any) => void} onEvent
 * @property {(widget: CanvasWidget) => any} contextOf
 * @property {() => any[]} descriptors of the widgets on the canvas
 */

/** @param {CanvasWidget} widget @param {HTMLElement} into @param {Surroundings} surroundings */
export function mountWidget(widget, into, surroundings) {
  const { options, io, wiring, drops, approvals, needs, refusals, loading, lazyLoading, onEvent } = surroundings;
  const { id } = widget;
  /** @param {string} reason @param {any} [data] @param {string} [field] */
  const drop = (reason, data, field) => drops.note(id, reason, data, field);
  const send = (/** @type {any} */ message) => session.send(message);
  const calls = createCalls({ widget, server: options, approvals, needs, send, onEvent });
  const records = createHostRecords({ collections: widget.collections ?? [], records: options.records, send });
  const resizer = createResizer();
  /** @type {import('./host-session.js').Handlers} */
  const handlers = {
    onOutput: ({ slotId, value }) => io.set(id, slotId, value),
    onPort: (message) => receivePort(message),
    onWantsWidgets: () => session.sendWidgets(),
    onReady: () => io.replay(id),
    onGone() {
      calls.abort();
      records.close();
      approvals.forget(id);
      needs.forget(id);
    },
    context: () => surroundings.contextOf(widget),
    widgets: surroundings.descriptors,
    drop,
    onEvent,
  };
  const { widgetUrl, widgetOrigin = 'null' } = options;
  const session = createSession({ widget, url: widgetUrl(widget), origin: widgetOrigin, root: into, loading, lazyLoading, handlers });
  const receivePort = createPortReceiver({
    session,
    calls,
    records,
    needs,
    refusals,
    state: () => wiring.stateOf(id),
    store: (value) => wiring.storeState(id, value),
    options,
    force: (slotId, value) => io.set(id, slotId, value, true),
    resize,
    drop,
  });

  /** @param {number} wanted height in pixels */
  function resize(wanted) {
    const height = resizer(wanted, session.iframe.offsetHeight);
    if (height === null) return;
    session.iframe.style.height = `${height}px`;
    onEvent({ type: 'resize', widgetId: id, height });
  }

  return session;
}
