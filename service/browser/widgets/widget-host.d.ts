// The types of widget-host.js, for editors and for `tsc`.

import type { CanvasWidget, HostOptions } from './host-options.js';
import type { Connection, SlotRef, Verdict } from './io-graph.js';
import type { Broken } from './io-state.js';

export type { Broken, CanvasWidget, Connection, HostOptions, SlotRef, Verdict };

export interface CanvasHost {
  /** Mounts a widget. Its frame is never moved to another parent. Throws if the id is in use. */
  mount(widget: CanvasWidget, place?: { into?: HTMLElement }): HTMLIFrameElement;
  /** Removes a widget with its connections. */
  unmount(id: string): void;
  /** Adds a part of the canvas that is not a frame, but has slots like a widget. */
  join(
    record: CanvasWidget,
    receiveInput: (slotId: string, value: any) => void,
  ): { set(slotId: string, value: any): void; remove(): void };
  reload(id: string): void;
  /** The frame of a widget; a reload replaces it. */
  frame(id: string): HTMLIFrameElement | undefined;
  check(from: SlotRef, to: SlotRef): Verdict;
  /** Throws `IoError`. */
  connect(from: SlotRef, to: SlotRef): Connection;
  disconnect(id: string): void;
  /** The connections, states and values that a canvas stores. */
  exportState(): any;
  /** Returns the connections that do not work, with reasons; they are kept. */
  importState(state: unknown): Broken[];
  /** How many messages of a widget were dropped, by reason; '' stands for senders that are not widgets. */
  drops(id: string): Record<string, number>;
  sendContext(): void;
  setSettings(id: string, settings: Record<string, any>): void;
  /** Removes all widgets and listeners of the host from the page. */
  close(): void;
}

export function createCanvasHost(options: HostOptions): CanvasHost;
