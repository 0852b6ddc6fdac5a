// @ts-check
// The messages between a widget and its host: their types, limits and shapes, for both sides.
//
// The four messages of SPEC are exact: a message with an additional key is dropped. The other messages belong to this
// service and may get new keys, so unknown keys are ignored. A parser never throws. The same shapes are in
// messages.schema.json, and the tests check the same samples against both.
// Source: docs/contract.md, section 12.

export const TYPES = Object.freeze({
  // On the window, from widget to host.
  hello: 'widget-hello',
  getWidgets: 'GET_CANVAS_WIDGETS',
  output: 'widget-io-output-update',
  // On the window, from host to widget.
  welcome: 'widget-welcome',
  widgets: 'CANVAS_WIDGETS_RESPONSE',
  input: 'widget-io-input-update',
  // On the port, from widget to host.
  apiRequest: 'widget-api-request',
  apiCancel: 'widget-api-cancel',
  consentRequest: 'widget-consent-request',
  scopesGet: 'widget-scopes-get',
  outputForce: 'widget-output-force',
  resizeRequest: 'widget-resize-request',
  recordsSubscribe: 'widget-records-subscribe',
  recordsUnsubscribe: 'widget-records-unsubscribe',
  wheel: 'widget-wheel',
  leave: 'widget-leave',
  // On the port, from host to widget.
  apiStatus: 'widget-api-status',
  apiResponse: 'widget-api-response',
  consentResult: 'widget-consent-result',
  scopes: 'widget-scopes',
  hostContext: 'widget-host-context',
  stateChanged: 'widget-state-changed',
  recordsSnapshot: 'widget-records-snapshot',
  recordsChange: 'widget-records-change',
  recordsError: 'widget-records-error',
  // On the port, in both directions: the answer has the type of the request.
  stateGet: 'widget-state-get',
  stateSet: 'widget-state-set',
  ping: 'widget-ping',
  pong: 'widget-pong',
});

export const LIMITS = Object.freeze({
  slotId: 128, // characters, as the next limits too
  id: 128, // for a request, a consent, a widget or an idempotency key
  nonce: 64,
  endpoint: 128,
  slots: 64, // entries in a hello message
  queryEntries: 64,
  collection: 128, // characters
  subscriptions: 8, // subscriptions of one widget at the same time
  ioValueBytes: 262_144, // JSON in UTF-8, as the next limits too
  apiBodyBytes: 1_048_576,
  stateBytes: 65_536,
  keptBytes: 65_536, // all stored slot values of one widget
  messagesPerSecond: 200,
  burst: 2_400, // messages above that rate; a widget that sends more is paused
  height: 4_096, // CSS pixels
});

export const VERSION = 1;

/** The name of an endpoint, or a job. It allows no scheme, no `..` and no query, so that no other address can be reached. */
export const ENDPOINT_NAME = /^(?:jobs\/[A-Za-z0-9_-]+|[A-Za-z0-9][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9][A-Za-z0-9_.-]*)*)$/;

/**
 * @typedef {'not_object' | 'unknown_type' | 'extra_key' | 'bad_field'} ParseReason
 * @typedef {{message: any, dropped?: undefined, field?: undefined}
 *   | {message?: undefined, dropped: ParseReason, field?: string}} Parsed
 * @typedef {(value: any) => boolean} Check
 * @typedef {{required: Record<string, Check>, optional?: Record<string, Check>, exact?: boolean}} Shape
 */

/** @param {any} value */
const isObject = (value) => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** @param {number} most @returns {Check} */
const text = (most) => (value) => typeof value === 'string' && value.length > 0 && value.length <= most;

/** @param {Check} check @param {number} [most] @returns {Check} */
const listOf = (check, most = Infinity) => (value) =>
  Array.isArray(value) && value.length <= most && value.every(check);

/** @param {...string} words @returns {Check} */
const oneOf = (...words) => (value) => words.includes(value);

/** @param {any} value */
const isVersion = (value) => Number.isInteger(value) && value >= 1;

/** @param {any} value @returns {boolean} */
const isHeight = (value) => typeof value === 'number' && value >= 0 && value <= LIMITS.height;

/** @type {Check} */
const isFinite = Number.isFinite;

/** @type {Check} */
const isFlag = (value) => typeof value === 'boolean';

/** @param {any} value */
const isWholeNumber = (value) => Number.isInteger(value) && value >= 0;

/** @param {any} value */
const isEndpoint = (value) => text(LIMITS.endpoint)(value) && ENDPOINT_NAME.test(value);

/** Whether a value can be a query parameter. @param {any} value */
const isScalar = (value) =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/** @param {any} value */
const isQuery = (value) =>
  isObject(value) && Object.keys(value).length <= LIMITS.queryEntries && Object.values(value).every(isScalar);

/** @type {Check} */
const isText = (value) => typeof value === 'string';

const DESCRIPTOR = ['id', 'shapeId', 'templateHandle', 'templateName', 'icon'];

/** @param {any} value in CANVAS_WIDGETS_RESPONSE: exactly these five texts */
const isDescriptor = (value) =>
  isObject(value) && Object.keys(value).length === DESCRIPTOR.length && DESCRIPTOR.every((key) => isText(value[key]));

/** @param {any} value */
const isContext = (value) =>
  isObject(value) && isText(value.theme) && isText(value.locale) && isObject(value.cssVars);

/** @param {any} value @returns {boolean} */
const isSlot = (value) =>
  isObject(value) && text(LIMITS.slotId)(value.id) && oneOf('input', 'output')(value.direction) && isText(value.type);

/** @param {any} value */
const isRecord = (value) => isObject(value) && isText(value.recordId) && isObject(value.data);

/** @param {any} value */
const isEnvelope = (value) => isObject(value) && typeof value.success === 'boolean';

const slotId = text(LIMITS.slotId);
const id = text(LIMITS.id);
const anything = () => true;
const FAULT = { error: isText, message: isText }; // for a request whose answer could not be read

/** @type {Record<string, Shape>} */
const WIDGET_WINDOW = {
  [TYPES.hello]: {
    required: { v: isVersion, nonce: text(LIMITS.nonce) },
    optional: { wants: listOf(text(32), 8), slots: listOf(slotId, LIMITS.slots) },
  },
  [TYPES.getWidgets]: { required: {}, exact: true },
  [TYPES.output]: { required: { slotId, value: isObject }, exact: true },
};

/** @type {Record<string, Shape>} */
const WIDGET_PORT = {
  [TYPES.apiRequest]: {
    required: { requestId: id, method: oneOf('GET', 'POST'), endpoint: isEndpoint },
    optional: { body: isObject, query: isQuery, idempotencyKey: id },
  },
  [TYPES.apiCancel]: { required: { requestId: id } },
  [TYPES.consentRequest]: { required: { requestId: id, consentId: id } },
  [TYPES.scopesGet]: { required: { requestId: id } },
  [TYPES.outputForce]: { required: { slotId, value: isObject } },
  [TYPES.stateGet]: { required: { requestId: id } },
  [TYPES.stateSet]: { required: { requestId: id, value: anything } },
  [TYPES.resizeRequest]: { required: { height: isHeight } },
  [TYPES.recordsSubscribe]: { required: { requestId: id, collection: text(LIMITS.collection) } },
  [TYPES.recordsUnsubscribe]: { required: { requestId: id } },
  [TYPES.wheel]: { required: { dx: isFinite, dy: isFinite, zooms: isFlag, x: isFinite, y: isFinite } },
  [TYPES.leave]: { required: { backwards: isFlag } },
  [TYPES.ping]: { required: {} },
  [TYPES.pong]: { required: {} },
};

/** @type {Record<string, Shape>} */
const HOST_WINDOW = {
  [TYPES.welcome]: {
    required: {
      v: isVersion,
      nonce: text(LIMITS.nonce),
      mode: oneOf('canvas'),
      widgetId: id,
      slots: listOf(isSlot),
      context: isContext,
      limits: isObject,
    },
  },
  [TYPES.widgets]: { required: { widgets: listOf(isDescriptor) }, exact: true },
  [TYPES.input]: { required: { slotId, value: isObject }, exact: true },
};

/** @type {Record<string, Shape>} */
const HOST_PORT = {
  [TYPES.apiStatus]: { required: { requestId: id, status: oneOf('awaiting_approval', 'running') } },
  [TYPES.apiResponse]: {
    required: { requestId: id, envelope: isEnvelope },
    optional: { consentId: id, httpStatus: isWholeNumber, retryAfterMs: isWholeNumber },
  },
  [TYPES.consentResult]: { required: { requestId: id, status: oneOf('connected', 'timeout', 'cancelled') }, optional: FAULT },
  [TYPES.scopes]: { required: { requestId: id, integrations: isObject }, optional: FAULT },
  [TYPES.stateGet]: { required: { requestId: id, value: anything } },
  [TYPES.stateSet]: { required: { requestId: id, ok: (value) => typeof value === 'boolean' }, optional: { error: isText } },
  [TYPES.hostContext]: { required: { context: isContext } },
  [TYPES.stateChanged]: { required: { value: anything } },
  [TYPES.recordsSnapshot]: { required: { requestId: id, records: listOf(isRecord) } },
  [TYPES.recordsChange]: { required: { requestId: id, action: oneOf('written', 'removed'), record: isRecord } },
  [TYPES.recordsError]: { required: { requestId: id, error: isText, message: isText } },
  [TYPES.ping]: { required: {} },
  [TYPES.pong]: { required: {} },
};

/** Parses a message of a widget to its parent window. @param {any} data @returns {Parsed} */
export const parseWidgetWindow = (data) => parse(WIDGET_WINDOW, data);

/** Parses a message of a widget on its port. @param {any} data @returns {Parsed} */
export const parseWidgetPort = (data) => parse(WIDGET_PORT, data);

/** Parses a message of the host to a widget's window. @param {any} data @returns {Parsed} */
export const parseHostWindow = (data) => parse(HOST_WINDOW, data);

/** Parses a message of the host on a widget's port. @param {any} data @returns {Parsed} */
export const parseHostPort = (data) => parse(HOST_PORT, data);

/**
 * Returns the message as a new object with the keys of its shape. The size of values is not checked here: the code that
 * uses a value converts it to JSON first (json-value.js).
 * @param {Record<string, Shape>} shapes @param {any} data @returns {Parsed}
 */
function parse(shapes, data) {
  if (!isObject(data)) return { dropped: 'not_object' };
  const shape = typeof data.type === 'string' && Object.hasOwn(shapes, data.type) ? shapes[data.type] : null;
  if (!shape) return { dropped: 'unknown_type' };
  const { required, optional = {}, exact } = shape;
  if (exact && Object.keys(data).some((key) => key !== 'type' && !Object.hasOwn(required, key))) {
    return { dropped: 'extra_key' };
  }
  /** @type {Record<string, any>} */
  const message = { type: data.type };
  for (const [key, check] of Object.entries({ ...required, ...optional })) {
    const isAbsent = !Object.hasOwn(data, key) || data[key] === undefined;
    if (isAbsent && Object.hasOwn(optional, key)) continue;
    if (isAbsent || !check(data[key])) return { dropped: 'bad_field', field: key };
    message[key] = data[key];
  }
  return { message };
}
