// The types of widget-client.js, for editors and for `tsc`.
// The types of the bodies and answers of all endpoints are in endpoints.d.ts.

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
  /** The settings that the manifest declares; absent on a standalone page. */
  settings?: Record<string, any>;
  /** A pseudonym, different for each signed-in user; absent outside a canvas. */
  user?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds, 60 000 if absent; the time of an approval is not counted. */
  timeoutMs?: number;
  onStatus?(status: 'awaiting_approval' | 'running'): void;
  /** Calls with the same key are carried out, and charged, only once in 24 hours. */
  idempotencyKey?: string;
}

export interface ClientOptions {
  window?: Window;
  parent?: Window;
  /** How long a host may take to answer, in milliseconds; 1500 if absent. */
  handshakeMs?: number;
  /** Whether calls resolve to whole envelopes, also for errors. */
  rawEnvelope?: boolean;
  /** `['widgets']`: the host reports changes of the canvas to `onWidgets`. */
  wants?: string[];
  /** The used slots, if they are fewer than those of the manifest. */
  slots?: string[];
  /** Standalone: the address of the API, without `/api`. */
  baseUrl?: string;
  /** Standalone: returns the user's token. It is called before each request, and the token is never stored. */
  getToken?(): Promise<string | null> | string | null;
  fetch?: typeof globalThis.fetch;
  /** Standalone: requests a consent, instead of the client's own window and dialog. */
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
  /** Gets all records, the oldest first, at the beginning and after each change. */
  onRecords(records: StoredRecord[]): void;
  /** Called when the subscription has ended. */
  onError(error: Error): void;
}

export type Envelope<T> =
  | { success: true; data: T }
  | ({ success: false; error: string; message: string } & Record<string, unknown>);

/** The state of a long-running call. */
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
  /** The other widgets of the canvas; empty if there is no canvas. */
  listWidgets(options?: { timeoutMs?: number }): Promise<CanvasWidget[]>;
  /** Needs `wants: ['widgets']`. */
  onWidgets(listener: (widgets: CanvasWidget[]) => void): () => void;
  /** Sends a value. Throws `SlotError` and `TooLargeError`. `force` sends the value even if it has not changed. */
  setOutput(slotId: string, value: object, options?: { force?: boolean }): void;
  /** Adds a listener, which also gets the last value that came before. Returns a function that removes it. */
  onInput<T extends object = any>(slotId: string, listener: (value: T) => void): () => void;
  /** Asks the user for a consent. Call this in a click handler: browsers allow a new window only there. */
  connect(need: ConnectionNeed): Promise<Consent>;
  /** Runs `work`. If it needs a consent, requests the consent and runs `work` a second time. */
  withConnection<T>(work: () => Promise<T>): Promise<T>;
  readonly scopes: {
    /** One flag of an integration's status; false until `refresh` has read it. */
    has(flag: string, integration?: string): boolean;
    refresh(): Promise<void>;
    onChange(listener: () => void): () => void;
  };
  /** The stored state: at most 64 KiB of JSON, in the canvas, or in the tab of a standalone page. */
  readonly state: {
    get(): Promise<any>;
    set(value: unknown): Promise<void>;
    /** Calls the listener with a state that another page or an undo has stored; `null` if there is none. */
    onChange(listener: (value: any) => void): () => void;
  };
  /** Reads a collection that the manifest names, and follows its changes. */
  readonly records: { subscribe(collection: string, listener: RecordsListener): () => void };
  onContext(listener: (context: HostContext) => void): () => void;
  /** Requests a height from the canvas, in CSS pixels. */
  resize(height: number): void;
  /** Ends all running calls: they fail with `AbortedError`. */
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
  /** The HTTP status; 0 if there was no answer. */
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
