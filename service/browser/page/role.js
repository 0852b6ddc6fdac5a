// The role of the signed-in user. Only the server decides what it allows; the console shows what fits.

import { claimsOf } from './session.js';

/**
 * The role that an operator has set, or else the token's.
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {{token: string | null, subject: string}} session
 * @returns {Promise<string>} '' if it can't be known now
 */
export async function readRole(transport, { token, subject }) {
  try {
    const { data } = await transport.get(`/api/records/users/${encodeURIComponent(subject)}`);
    return data.role ?? String(claimsOf(token).role ?? 'user');
  } catch {
    return '';
  }
}
