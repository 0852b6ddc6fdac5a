// The records of a collection for a standalone widget: read over HTTP, and read again while the page is visible.

import { ApiError, NetworkError } from '../shared/errors.js';
import { WidgetError, clientError, errorOf } from './widget-errors.js';

const AGAIN = 10_000; // ms between two reads
const SOON = 2000; // ms between two reads while nothing was read yet
const MOST = 200; // records, the limit of one page

/**
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {string} collection
 * @param {import('./client-records.js').RecordsListener} listener
 * @returns {() => void} ends the subscription
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
      // After a temporary error, the records on the screen stay, as on a canvas, and are read again later.
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
