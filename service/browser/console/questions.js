// The cards on which the assistant's calls ask their user, and what these cards need.

import { createConnections } from '../shared/connections.js';
import { listenForConsents } from '../shared/consent-messages.js';
import { createConsents } from '../shared/consent.js';
import { createApprovalCard } from './approval-card.js';
import { createConsentCard } from './consent-card.js';

/** @typedef {(kind: 'approval' | 'consent') => {node: HTMLElement, update: (part: any) => void}} CreateCard */

/** @param {import('../shared/api-transport.js').Transport} transport */
export function createQuestions(transport) {
  const connections = createConnections(transport);
  const consents = createConsents({ transport, connections });
  const stopListening = listenForConsents(consents.receive);
  return {
    /** @param {string} chatId @returns {CreateCard} */
    cardsOf: (chatId) => (kind) => {
      if (kind === 'consent') return createConsentCard(consents, connections);
      return createApprovalCard((callId, decision) =>
        transport.post(`/api/ai/chat/${chatId}/approvals/${encodeURIComponent(callId)}`, { decision }),
      );
    },
    stop() {
      consents.stop();
      stopListening();
    },
  };
}
