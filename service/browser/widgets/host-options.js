// @ts-check
// The types of the options that a page passes to a widget host.

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
 * @property {string[]} [endpoints] which the manifest declares; if absent, all endpoints are allowed
 * @property {string[]} [collections] that the manifest names
 * @property {string[]} [permissions] of the Permissions Policy
 * @property {number} [version] of the manifest
 * @property {Record<string, any>} [settings] the values of all declared settings
 *
 * @typedef {object} CallRequest
 * @property {string} widgetId
 * @property {string} endpoint
 * @property {'GET' | 'POST'} method
 * @property {string} [body] the JSON text that was approved
 * @property {Record<string, any>} [query]
 * @property {string} [idempotencyKey]
 * @property {'auto' | 'once' | 'session'} approval
 * @property {AbortSignal} signal
 *
 * @typedef {object} HostOptions
 * @property {HTMLElement} root the element in which widgets are mounted
 * @property {string} [user] a pseudonym, different for each signed-in user; widgets get it
 * @property {(widget: CanvasWidget) => string} widgetUrl the address of a widget's page, without a fragment
 * @property {string} [widgetOrigin] the origin of widgets' messages; 'null' (a sandbox) if absent
 * @property {(request: CallRequest) => Promise<any>} call returns the envelope; throws errors of shared/errors.js
 * @property {(endpoint: string) => Policy} policy
 * @property {(endpoint: string, body: string, signal: AbortSignal) => Promise<number>} [price] the most that this call
 *   can cost, in credits; called if the policy is metered. Throws errors of shared/errors.js for a refused body
 * @property {(request: ApprovalRequest) => Promise<Decision>} approve
 * @property {import('./session-approvals.js').SessionApprovals} [sessions] the approvals until the page is closed; a page
 *   that shows them passes its own list
 * @property {(need: ConsentNeed) => Promise<{status: 'connected' | 'timeout' | 'cancelled'}>} consent
 * @property {() => Promise<Record<string, any>>} [scopes] the status of all connections
 * @property {(collection: string) => import('./host-records.js').LiveRecords} [records] opens a collection; without it there are no records
 * @property {boolean} [lazy] whether a frame is loaded only when it is near the visible part of `root`, or gives values
 *   to other widgets
 * @property {(event: any) => void} [onEvent] called for every message, drop, call and decision
 * @property {(io: any, widgetId?: string) => void} [onState] called when the result of `exportState` has changed, with the
 *   id of the widget whose state or values have changed; without an id if connections have changed
 */

export {};
