// Addresses in answers of vendors: what others wrote, and a click or a picture would load.

/**
 * An address that may be loaded: https, or this very service. Null for any other text.
 * @param {string} text @param {string} base address of the page @returns {string | null}
 */
export function safeAddress(text, base) {
  if (!/^(https?:\/)?\/\S+$/.test(text) || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  const isSafe = url.protocol === 'https:' || url.origin === new URL(base).origin;
  return isSafe && !url.username && !url.password ? url.href : null;
}
