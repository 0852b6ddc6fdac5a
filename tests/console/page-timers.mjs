// The intervals of a page that is never left, for example behind a stream without an end, do not keep the process running.

const { setInterval } = globalThis;
globalThis.setInterval = (...of) => setInterval(...of).unref();
