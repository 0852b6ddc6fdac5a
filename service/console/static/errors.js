// What can go wrong, and how it is said to the person at the screen.

/** The server refused; its body is `{error, message, details?, …facts}`. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, message?: string, details?: any} & Record<string, any>} body
   * @param {number | null} [retryAfter] seconds
   */
  constructor(status, body, retryAfter = null) {
    super(body.message || `The server answered ${status}.`);
    this.status = status;
    this.code = body.error || 'unknown';
    this.details = body.details;
    this.facts = body;
    this.retryAfter = retryAfter;
  }
}

/** No answer came, or it ended before it was complete. */
export class NetworkError extends Error {
  constructor(message = 'The server can’t be reached. Check that it runs, then try again.') {
    super(message);
  }
}

/** The stream says something that is no UI message stream. */
export class ProtocolError extends Error {}

/** @param {unknown} error @returns {string} a sentence or two, with what to do where we know it */
export function inWords(error) {
  if (error instanceof ApiError) return [error.message, ...hints(error)].join(' ');
  if (error instanceof NetworkError) return error.message;
  console.error(error); // ours: a person can do nothing about it, a developer can
  return 'Something went wrong in this page. Reload it; what you typed is kept.';
}

/** @param {ApiError} error */
function* hints(error) {
  yield* fields(error.details);
  if (error.code === 'insufficient_credits') {
    const { needed, available } = error.facts;
    if (available !== undefined) yield `This needs up to ${needed}, and ${available} are left.`;
  }
  if (error.retryAfter !== null) yield `Try again in ${error.retryAfter} s.`;
}

/** @param {any} details reasons per field */
function* fields(details) {
  for (const [name, reasons] of Object.entries(details ?? {})) {
    yield `${name}: ${Array.isArray(reasons) ? reasons.join(' ') : JSON.stringify(reasons)}`;
  }
}
