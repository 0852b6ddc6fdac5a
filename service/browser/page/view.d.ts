// The interface of a console view, and of the context that it receives.

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
  /** Call this when a view has read the account, so that its balance is shown in the header. */
  onAccount: (account: { balance: number }) => void;
  /** The balance when it was last read; null if unknown. */
  balance: () => number | null;
  /** Call this when the title of a view has changed. */
  onTitle: () => void;
  /** Makes screen readers read out a sentence. */
  announce: (sentence: string) => void;
}

/** The functions of the chat view that the command palette uses. */
export interface Chats {
  collection: LiveCollection;
  models: {
    /** The ids of the models that can answer. */
    readonly usable: string[];
    readonly modelId: string;
    choose: (id: string) => void;
  };
  startNew: () => void;
  /** Opens a chat, and scrolls to a message if its id is given. */
  open: (chatId: string, messageId: string | null) => void;
}

export interface View {
  node: HTMLElement;
  /** '' for no title */
  title: string;
  /** Shows the id of the route; null shows the start of the view. */
  show: (id: string | null) => void;
  refresh: () => void;
  focus: () => void;
  /** Whether something would be lost if the page were replaced now. */
  isBusy?: () => boolean;
  stop: () => void;
}
