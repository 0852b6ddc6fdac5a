// The types of widget-client.js, for editors and for `tsc`.
// Bodies and answers are typed by endpoint: endpoints.d.ts.

import type { EndpointTypes, Endpoints } from './endpoints.d.ts';

export type { Endpoints };

export type Mode = 'canvas' | 'standalone';

export interface CanvasWidget {
  id: string;
  shapeId: string;
  templateHandle: string;
  templateName: string;
  icon: string;
}

export interface Slot {
  id: string;
  direction: 'input' | 'output';
  /** The type of the payload: the value itself for objects, else its `value`. */
  type: 'string' | 'number' | 'boolean' | 'object' | 'array' | 'any';
  title: string;
  schema?: object;
  maxConnections?: number;
}

export interface HostContext {
  theme: string;
  locale: string;
  cssVars: Record<string, string>;
  /** Those that the manifest declares; absent on a page of its own. */
  settings?: Record<string, any>;
  /** Different for each signed-in user, and nothing else is said by it; absent outside a canvas. */
  user?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds, 60 000 if absent; the time of an approval is not counted. */
  timeoutMs?: number;
  onStatus?(status: 'awaiting_approval' | 'running'): void;
  /** A repeated call with the same key is made, and paid, once in 24 hours. */
  idempotencyKey?: string;
}

export interface ClientOptions {
  window?: Window;
  parent?: Window;
  /** How long a host may take to answer, in milliseconds; 1500 if absent. */
  handshakeMs?: number;
  /** Resolve to whole envelopes, also those of errors. */
  rawEnvelope?: boolean;
  /** `['widgets']`: the host reports changes of the canvas to `onWidgets`. */
  wants?: string[];
  /** The slots that are used, where they are fewer than the manifest's. */
  slots?: string[];
  /** Standalone: the address of the API, without `/api`. */
  baseUrl?: string;
  /** Standalone: the user's token, asked for before each request and never stored. */
  getToken?(): Promise<string | null> | string | null;
  fetch?: typeof globalThis.fetch;
  /** Standalone: asks for a consent in the place of the client's own window and dialog. */
  consent?(need: ConnectionNeed, readStatus: () => Promise<Record<string, any>>): Promise<Consent>;
}

export interface Consent {
  status: 'connected' | 'timeout' | 'cancelled';
}

export type ConnectionNeed = OAuthRequiredError | ReconnectRequiredError;

export interface StoredRecord {
  recordId: string;
  data: Record<string, any>;
  createdAt: string;
  updatedAt: string;
}

export interface RecordsListener {
  /** Gets all of them, the oldest first; again after each change. */
  onRecords(records: StoredRecord[]): void;
  /** The subscription is over. */
  onError(error: unknown): void;
}

export type Envelope<T> =
  | { success: true; data: T }
  | ({ success: false; error: string; message: string } & Record<string, unknown>);

/** The state of a slow call. */
export interface Job {
  jobId: string;
  status: 'running' | 'done';
  result?: unknown;
}

type EndpointMap<E> = { [K in keyof E]: EndpointTypes };
type Readable<E extends EndpointMap<E>> = { [K in keyof E]: E[K]['get'] extends true ? K : never }[keyof E] & string;
type Payload<T> = {} extends T ? [payload?: T, options?: CallOptions] : [payload: T, options?: CallOptions];
type Enveloped<E extends EndpointMap<E>> = {
  [K in keyof E]: { get: E[K]['get']; request: E[K]['request']; response: Envelope<E[K]['response']> };
};

export interface WidgetClient<E extends EndpointMap<E> = Endpoints> {
  /** Rejects with `NoHostError` in a frame that no canvas has mounted. */
  readonly ready: Promise<{ mode: Mode; widgetId: string | null; slots: Slot[]; context: HostContext }>;
  /** Calls an endpoint. Resolves to the `data` of its answer, rejects with a `WidgetError`. */
  post<K extends keyof E & string>(endpoint: K, ...payload: Payload<E[K]['request']>): Promise<E[K]['response']>;
  get(job: `jobs/${string}`, query?: {}, options?: CallOptions): Promise<Job>;
  get<K extends Readable<E>>(endpoint: K, ...payload: Payload<E[K]['request']>): Promise<E[K]['response']>;
  /** The other widgets of the canvas; empty where there is none. */
  listWidgets(options?: { timeoutMs?: number }): Promise<CanvasWidget[]>;
  /** Needs `wants: ['widgets']`. */
  onWidgets(listener: (widgets: CanvasWidget[]) => void): () => void;
  /** Throws `SlotError` and `TooLargeError`. `force` sends a value again that has not changed. */
  setOutput(slotId: string, value: object, options?: { force?: boolean }): void;
  /** Also called with the last value that came before. Returns what stops it. */
  onInput<T extends object = any>(slotId: string, listener: (value: T) => void): () => void;
  /** Asks the user for a consent. Call it in a click: browsers open a window only then. */
  connect(need: ConnectionNeed): Promise<Consent>;
  /** Runs `work`, and once more after the consent that it needs. */
  withConnection<T>(work: () => Promise<T>): Promise<T>;
  readonly scopes: {
    /** One flag of an integration's status; false until `refresh` has read it. */
    has(flag: string, integration?: string): boolean;
    refresh(): Promise<void>;
    onChange(listener: () => void): () => void;
  };
  /** At most 64 KiB of JSON, kept in the canvas, or in the tab of a standalone page. */
  readonly state: {
    get(): Promise<any>;
    set(value: unknown): Promise<void>;
    /** Calls the listener with a state that another page has stored, or an undo; `null` if there is none. */
    onChange(listener: (value: any) => void): () => void;
  };
  /** Reads a collection that the manifest names, and what changes in it. */
  readonly records: { subscribe(collection: string, listener: RecordsListener): () => void };
  onContext(listener: (context: HostContext) => void): () => void;
  /** Asks the canvas for a height, in CSS pixels. */
  resize(height: number): void;
  /** Ends what is under way: calls fail with `AbortedError`. */
  close(): void;
}

export function createWidgetClient<E extends EndpointMap<E> = Endpoints>(
  options: ClientOptions & { rawEnvelope: true },
): WidgetClient<Enveloped<E>>;
export function createWidgetClient<E extends EndpointMap<E> = Endpoints>(options?: ClientOptions): WidgetClient<E>;

export class WidgetError extends Error {
  readonly code: string;
  readonly endpoint?: string;
  readonly requestId?: string;
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** The body that the server sent. */
  readonly facts: Record<string, any>;
}
export class ApprovalDeniedError extends WidgetError {}
export class OAuthRequiredError extends WidgetError {
  readonly provider: string;
  readonly scopes: string[];
  readonly authUrl: string;
  readonly consentId?: string;
}
export class ReconnectRequiredError extends WidgetError {
  readonly provider?: string;
  readonly consentId?: string;
}
export class UpstreamError extends WidgetError {}
export class InsufficientCreditsError extends WidgetError {
  readonly needed: number;
  readonly available?: number;
}
export class ValidationError extends WidgetError {
  /** The reasons by parameter. */
  readonly fields: Record<string, string[]>;
}
export class RateLimitError extends WidgetError {}
export class TooLargeError extends WidgetError {}
export class NetworkError extends WidgetError {}
export class TimeoutError extends WidgetError {}
export class AbortedError extends WidgetError {}
export class NoHostError extends WidgetError {}
export class SlotError extends WidgetError {}
export class ProtocolError extends WidgetError {}
