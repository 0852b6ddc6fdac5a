// Scrolls to a message of the open chat and marks it. Earlier messages are loaded until the message is found.

const MOST = 200; // messages in one request

/**
 * @param {import('./conversation.js').Conversation} conversation
 * @param {HTMLElement} transcript @param {string} messageId
 * @param {() => boolean} isOpen whether the conversation is still the one on the screen
 */
export async function reveal(conversation, transcript, messageId, isOpen) {
  while (conversation.phase === 'loading') await nextChange(conversation);
  while (!has(conversation, messageId) && conversation.earlier && isOpen()) {
    const { earlier } = conversation;
    await conversation.loadEarlier(MOST);
    if (conversation.earlier === earlier) return; // loading has failed, and the page shows the error
  }
  await nextFrame();
  await nextFrame(); // the messages are drawn in the frame before
  const node = /** @type {HTMLElement | null} */ (transcript.querySelector(`[data-message="${CSS.escape(messageId)}"]`));
  if (!node || !isOpen()) return;
  for (const other of transcript.querySelectorAll('.found')) other.classList.remove('found');
  node.classList.add('found');
  node.tabIndex = -1;
  node.focus({ preventScroll: true });
  node.scrollIntoView({ block: 'center' });
  node.closest('[role=log]')?.dispatchEvent(new Event('scroll')); // at once: until the real event comes, a growing message would scroll the log to its end
}

/** @param {import('./conversation.js').Conversation} conversation @param {string} messageId */
function has({ messages }, messageId) {
  return messages.some(({ id }) => id === messageId);
}

/** @param {import('./conversation.js').Conversation} conversation @returns {Promise<void>} */
function nextChange(conversation) {
  return new Promise((resolve) => {
    const stop = conversation.onChange(() => {
      stop();
      resolve();
    });
  });
}

function nextFrame() {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
