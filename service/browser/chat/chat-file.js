// Downloads a chat as a file that the server creates.

import { element } from '../shared/elements.js';

const LATER = 60_000; // ms until the file's address is revoked: browsers read the file after the click

/**
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {string} chatId @param {'markdown' | 'json'} format
 */
export async function saveChat(transport, chatId, format) {
  const path = `/api/ai/chats/${encodeURIComponent(chatId)}/export?format=${format}`;
  const response = await transport.read(path, new AbortController().signal);
  const href = URL.createObjectURL(await response.blob());
  element('a', { href, download: nameIn(response.headers.get('Content-Disposition') ?? '') }).click();
  setTimeout(() => URL.revokeObjectURL(href), LATER);
}

/** @param {string} disposition as in RFC 6266 */
export function nameIn(disposition) {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition);
  return encoded ? decodeURIComponent(encoded[1]) : 'chat';
}
