// Tells the other tabs of this browser that a reply has begun. The server reports a turn only when it is stored:
// one more write to the feed for each turn would cost more than a tab that misses the first words of a reply.

import { openChannel } from '../shared/site-data.js';

/** @param {string} subject the signed-in user; tabs of other users get no messages */
export function createOtherTabs(subject) {
  const channel = openChannel(`console.replies:${subject}`);
  return {
    /** @param {string} chatId */
    tell: (chatId) => channel.postMessage(chatId),
    /** @param {(chatId: string) => void} listener called in the other tabs */
    onReply(listener) {
      channel.onmessage = ({ data }) => listener(data);
    },
    stop: () => channel.close(),
  };
}
