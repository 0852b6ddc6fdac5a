// The body of `POST /api/ai/chat`.

import { timeZone } from '../page/time-zone.js';

/**
 * @param {string} chatId
 * @param {import('../page/drafts.js').Question} question
 * @param {string} modelId '' for the server's default model
 * @param {boolean} again whether an earlier try may have stored an answer, which the new answer replaces
 */
export function requestBody(chatId, { id, text, replaces }, modelId, again) {
  return {
    chatId,
    userMessageId: id,
    content: text,
    modelId: modelId || null,
    timeZone: timeZone(),
    ...(again || replaces ? { trigger: 'regenerate-message' } : {}),
    ...(replaces ? { replaces: id } : {}),
  };
}
