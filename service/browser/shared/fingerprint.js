/** A short hash of a text: FNV-1a, with the length of the text. Collisions are very rare. @param {string} text @returns {string} */
export function fingerprint(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}.${(hash >>> 0).toString(36)}`;
}
