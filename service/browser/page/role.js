// The role of the signed-in user. The console shows what the role allows; only the server enforces it.

import { claimsOf } from './session.js';

/**
 * The role that an operator has set, or else the role in the token.
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {{token: string | null, subject: string}} session
 * @returns {Promise<string>} '' if the role can't be read now
 */
export async function readRole(transport, { token, subject }) {
  try {
    const { data } = await transport.get(`/api/records/users/${encodeURIComponent(subject)}`);
    return data.role ?? String(claimsOf(token).role ?? 'user');
  } catch {
    return '';
  }
}
