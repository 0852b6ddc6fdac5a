// The types of widget-host.js, for editors and for `tsc`.

import type { CanvasWidget, HostOptions } from './host-options.js';
import type { Connection, SlotRef, Verdict } from './io-graph.js';
import type { Broken } from './io-state.js';

export type { Broken, CanvasWidget, Connection, HostOptions, SlotRef, Verdict };

export interface CanvasHost {
  /** Its frame is never moved to another parent. Throws for an id that is taken. */
  mount(widget: CanvasWidget, place?: { into?: HTMLElement }): HTMLIFrameElement;
  /** Removes a widget with its connections. */
  unmount(id: string): void;
  /** A part of the canvas that is no frame, with slots as a widget has them. */
  join(
    record: CanvasWidget,
    receiveInput: (slotId: string, value: any) => void,
  ): { set(slotId: string, value: any): void; remove(): void };
  reload(id: string): void;
  /** It changes with a reload. */
  frame(id: string): HTMLIFrameElement | undefined;
  check(from: SlotRef, to: SlotRef): Verdict;
  /** Throws `IoError`. */
  connect(from: SlotRef, to: SlotRef): Connection;
  disconnect(id: string): void;
  /** What a canvas stores of it. */
  exportState(): any;
  /** Returns what does not work, with reasons; it is kept all the same. */
  importState(state: unknown): Broken[];
  /** How many messages were dropped, by reason; of '' for senders that are no widgets. */
  drops(id: string): Record<string, number>;
  sendContext(): void;
  setSettings(id: string, settings: Record<string, any>): void;
  /** Ends everything; nothing of the host stays in the page. */
  close(): void;
}

export function createCanvasHost(options: HostOptions): CanvasHost;
