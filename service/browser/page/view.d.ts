// What a view of the console is, and what it receives.

import type { LiveCollection } from '../shared/live-collection.js';
import type { RecordsSocket } from '../shared/records-socket.js';
import type { Transport } from '../shared/api-transport.js';
import type { Drafts } from './drafts.js';

export interface ViewContext {
  transport: Transport;
  socket: RecordsSocket;
  drafts: Drafts;
  storage: Storage;
  /** The signed-in user. */
  subject: string;
  onTurnEnd: () => void;
  /** A view has read the account: its balance is shown to the user everywhere. */
  onAccount: (account: { balance: number }) => void;
  /** Credits left when last read; null if unknown. */
  balance: () => number | null;
  /** The title of a view has changed. */
  onTitle: () => void;
  /** Reads a sentence to users of screen readers. */
  announce: (sentence: string) => void;
}

/** What the command palette does with the chats. */
export interface Chats {
  collection: LiveCollection;
  models: {
    /** Those that can answer. */
    readonly usable: string[];
    readonly modelId: string;
    choose: (id: string) => void;
  };
  startNew: () => void;
  /** Opens a chat, at a message if one is named. */
  open: (chatId: string, messageId: string | null) => void;
}

export interface View {
  node: HTMLElement;
  /** '' for none */
  title: string;
  /** Shows what the route names; null is the view's beginning. */
  show: (id: string | null) => void;
  refresh: () => void;
  focus: () => void;
  /** Whether it shows something that would be lost if the page were replaced now. */
  isBusy?: () => boolean;
  stop: () => void;
}
