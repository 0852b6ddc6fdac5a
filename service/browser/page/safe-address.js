// Checks addresses in the answers of vendors before a link or a picture may load them: anybody may have written them.

/**
 * The address, if it may be loaded: https, or this service itself. Null for any other text.
 * @param {string} text @param {string} base address of the page @returns {string | null}
 */
export function safeAddress(text, base) {
  if (!/^(https?:\/)?\/\S+$/.test(text) || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  const isSafe = url.protocol === 'https:' || url.origin === new URL(base).origin;
  return isSafe && !url.username && !url.password ? url.href : null;
}
