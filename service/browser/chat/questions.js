// Creates the cards of calls in messages. The modules of the cards are loaded after the first page.

import { element } from '../shared/elements.js';

/**
 * @typedef {import('./cards.js').CardKind} CardKind
 * @typedef {object} CardsContext
 * @property {import('../shared/api-transport.js').Transport} transport
 * @property {() => number | null} [balance] in credits
 * @property {(sentence: string) => void} [announce]
 *
 * @typedef {(kind: CardKind) => {kind: string, node: HTMLElement, update: (part: any) => void, stop?: () => void}} CreateCard
 *   `stop` ends the timers and listeners of a card that is removed; the kind is 'late' for a placeholder, if the modules are not loaded yet
 */

/** @param {CardsContext} context @param {() => void} onLoaded called when cards can be created */
export function createQuestions(context, onLoaded) {
  /** @type {import('./cards.js').Cards | null} */
  let cards = null;
  let isLoading = false;
  let stopped = false;

  async function load() {
    if (isLoading) return;
    isLoading = true;
    try {
      const createCards = await import('../chat/cards.js').then((module) => module.createCards);
      if (stopped) return;
      cards = createCards(context);
      onLoaded();
    } catch {
      isLoading = false; // the next card tries again
    }
  }

  load();
  return {
    /** @param {string} chatId @returns {CreateCard} */
    cardsOf: (chatId) => (kind) => {
      if (cards) return { kind, ...cards.create(kind, chatId) };
      load();
      return { kind: 'late', node: element('p', { class: 'hint' }, '…'), update: () => {} };
    },
    stop() {
      stopped = true;
      cards?.stop();
    },
  };
}
