// @ts-check
// What a page gives to a host of widgets. Types alone.

/**
 * @typedef {import('./host-approvals.js').ApprovalRequest} ApprovalRequest
 * @typedef {import('./host-approvals.js').Decision} Decision
 * @typedef {import('./host-consents.js').ConsentNeed} ConsentNeed
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {{approval: 'auto' | 'ask', credits: number, title: string, known: boolean,
 *   payer?: 'user' | 'owner', metered?: boolean, integration?: string}} Policy
 *
 * @typedef {object} CanvasWidget
 * @property {string} id
 * @property {string} templateHandle
 * @property {string} templateName
 * @property {string} icon
 * @property {Slot[]} slots of the template's manifest
 * @property {string[]} [endpoints] that the manifest declares; any if absent
 * @property {string[]} [collections] that the manifest names
 * @property {string[]} [permissions] of the Permissions Policy
 * @property {number} [version] of the manifest
 * @property {Record<string, any>} [settings] each that the manifest declares
 *
 * @typedef {object} CallRequest
 * @property {string} widgetId
 * @property {string} endpoint
 * @property {'GET' | 'POST'} method
 * @property {string} [body] JSON, the text that was approved
 * @property {Record<string, any>} [query]
 * @property {string} [idempotencyKey]
 * @property {'auto' | 'once' | 'session'} approval
 * @property {AbortSignal} signal
 *
 * @typedef {object} HostOptions
 * @property {HTMLElement} root in which widgets are mounted
 * @property {string} [user] different for each signed-in user; widgets are told it, so it says nothing else
 * @property {(widget: CanvasWidget) => string} widgetUrl without a fragment
 * @property {string} [widgetOrigin] of widgets' messages; 'null' (a sandbox) if absent
 * @property {(request: CallRequest) => Promise<any>} call returns the envelope; throws errors of shared/errors.js
 * @property {(endpoint: string) => Policy} policy
 * @property {(endpoint: string, body: string, signal: AbortSignal) => Promise<number>} [price] the most that this call
 *   can cost, in credits; asked where the policy is metered. Throws errors of shared/errors.js for a body that is refused
 * @property {(request: ApprovalRequest) => Promise<Decision>} approve
 * @property {import('./session-approvals.js').SessionApprovals} [sessions] what is allowed until the page closes; a page
 *   that shows it gives its own
 * @property {(need: ConsentNeed) => Promise<{status: 'connected' | 'timeout' | 'cancelled'}>} consent
 * @property {() => Promise<Record<string, any>>} [scopes] the status of all connections
 * @property {(collection: string) => import('./host-records.js').LiveRecords} [records] opens one; no records if absent
 * @property {boolean} [lazy] frames are loaded when they are nearly seen in `root`, or give values to others
 * @property {(event: any) => void} [onEvent] every message, drop, call, decision
 * @property {(io: any, widgetId?: string) => void} [onState] after a change of what `exportState` returns; `widgetId` is
 *   that of the widget whose state or values they are, absent where connections have changed
 */

export {};
