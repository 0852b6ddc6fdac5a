// Downloads a chat as a file that the server creates.

import { saveFile } from '../page/save-file.js';
import { NetworkError } from '../shared/errors.js';

const BROKEN_OFF = 'The file is not complete, so it was not saved. The connection was lost, or the chat was deleted meanwhile.';

/**
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {string} chatId @param {'markdown' | 'json'} format
 */
export async function saveChat(transport, chatId, format) {
  const path = `/api/ai/chats/${encodeURIComponent(chatId)}/export?format=${format}`;
  const response = await transport.read(path, new AbortController().signal);
  const content = await response.blob().catch(() => {
    throw new NetworkError(BROKEN_OFF);
  });
  saveFile(content, nameIn(response.headers.get('Content-Disposition') ?? ''));
}

/** @param {string} disposition as in RFC 6266 */
export function nameIn(disposition) {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition);
  return encoded ? decodeURIComponent(encoded[1]) : 'chat';
}
