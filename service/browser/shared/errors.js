// The errors that requests can throw, and the texts that are shown for them.

/** The server refused a request; the body is `{error, message, details?, …facts}`. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, message?: string, details?: any} & Record<string, any>} body
   * @param {number | null} [retryAfter] seconds
   * @param {string} [requestId] under which the operator finds the request in the log
   */
  constructor(status, body, retryAfter = null, requestId = undefined) {
    super(body.message || `The server answered ${status}.`);
    this.status = status;
    this.code = body.error || 'unknown';
    this.details = body.details;
    this.facts = body;
    this.retryAfter = retryAfter;
    /** @type {string | undefined} */
    this.requestId = requestId;
  }
}

/** No answer came, or the answer ended before it was complete. */
export class NetworkError extends Error {
  constructor(message = 'The server can’t be reached. Check your connection, then try again.') {
    super(message);
  }
}

/** The response is not a UI message stream. */
export class StreamFormatError extends Error {}

/** @param {unknown} error @returns {string} one or two sentences, with advice if there is any */
export function errorText(error) {
  if (error instanceof ApiError) return [error.message, ...hints(error)].join(' ');
  if (error instanceof NetworkError) return error.message;
  console.error(error); // an error of the page itself, for its developers
  return 'Something went wrong on this page. Reload it; your drafts are kept.';
}

/** @param {ApiError} error */
function* hints(error) {
  yield* fields(error.details);
  if (error.code === 'insufficient_credits') {
    const { needed, available } = error.facts;
    if (available !== undefined) yield `Up to ${needed} ${needed === 1 ? 'credit is' : 'credits are'} needed; ${available} ${available === 1 ? 'is' : 'are'} left.`;
  }
  if (error.retryAfter !== null) yield `Try again in ${error.retryAfter} s.`;
  if (error.status >= 500 && error.requestId) yield `Request id: ${error.requestId}.`; // for the operator
}

/** @param {any} details the reasons for each field */
function* fields(details) {
  for (const [name, reasons] of Object.entries(details ?? {})) {
    yield `${name}: ${Array.isArray(reasons) ? reasons.join(' ') : JSON.stringify(reasons)}`;
  }
}
