// Creates the cards of the assistant's calls, including the cards that ask the user for an approval or a consent.

import { createCallCard } from '../calls/call-card.js';
import { createEndpointCatalog } from '../calls/endpoint-catalog.js';
import { createConnections } from '../shared/connections.js';
import { listenForConsents } from '../shared/consent-messages.js';
import { createConsents } from '../shared/consent.js';
import { createApprovalCard } from './approval-card.js';
import { createConsentCard } from './consent-card.js';

/** @typedef {'calls' | 'approval' | 'consent'} CardKind */
/** @typedef {ReturnType<typeof createCards>} Cards */

/** @param {import('./questions.js').CardsContext} context */
export function createCards({ transport, balance, announce }) {
  const connections = createConnections(transport);
  const endpoints = createEndpointCatalog(transport);
  const consents = createConsents({ transport, connections });
  const stopListening = listenForConsents(consents.receive);
  return {
    /** @param {CardKind} kind @param {string} chatId @returns {{node: HTMLElement, update: (part: any) => void, stop?: () => void}} */
    create(kind, chatId) {
      if (kind === 'calls') return createCallCard({ endpoints, transport, announce });
      if (kind === 'consent') return createConsentCard(consents, connections);
      /** @param {string} callId @param {string} decision */
      const decide = (callId, decision) => transport.post(`/api/ai/chat/${encodeURIComponent(chatId)}/approvals/${encodeURIComponent(callId)}`, { decision });
      return createApprovalCard(decide, { balance });
    },
    stop() {
      consents.stop();
      stopListening();
    },
  };
}
