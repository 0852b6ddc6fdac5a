// Records of a collection for a widget that is alone: read by HTTP, and again while the page is seen.

import { ApiError, NetworkError } from '../shared/errors.js';
import { WidgetError, clientError, errorOf } from './widget-errors.js';

const AGAIN = 10_000; // ms
const SOON = 2000; // ms, while there is nothing to show
const MOST = 200; // records, the most of one page

/**
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {string} collection
 * @param {import('./client-records.js').RecordsListener} listener
 * @returns {() => void} ends it
 */
export function readRecords(transport, collection, { onRecords, onError }) {
  let isOver = false;
  let isShown = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  async function read() {
    try {
      const { records } = await transport.get(`/api/records/${encodeURIComponent(collection)}`, { sort: '-createdAt', limit: MOST });
      if (isOver) return;
      isShown = true;
      onRecords(records.reverse());
    } catch (error) {
      const problem = widgetError(error);
      if (isOver) return;
      // What is shown stays, as on a canvas, and is read again later.
      if (!(problem instanceof WidgetError && problem.retryable)) return onError(problem);
    }
    timer = setTimeout(readIfSeen, isShown ? AGAIN : SOON);
  }

  function readIfSeen() {
    if (document.visibilityState === 'visible') read();
    else timer = setTimeout(readIfSeen, AGAIN);
  }

  read();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** @param {unknown} error */
function widgetError(error) {
  if (error instanceof NetworkError) return clientError('network');
  if (!(error instanceof ApiError)) return error;
  return errorOf({ success: false, ...error.facts, error: error.code, message: error.message }, { status: error.status });
}
