// Reads a file as base64, piece by piece, so that the page does not stand still meanwhile.

const PIECE = 3 * 2 ** 16; // bytes; a multiple of 3, so that the base64 of the pieces can be joined
const AT_ONCE = 2 ** 13; // arguments of one function call

/**
 * @param {Blob} file
 * @param {() => boolean} isWanted whether the file is still needed
 * @returns {Promise<{content: string, digest: string}>} the base64, and 16 hexadecimal digits for the content; rejects if the
 *   file can't be read
 */
export async function readFile(file, isWanted = () => true) {
  const hash = createHash();
  const pieces = [];
  for (let at = 0; at < file.size && isWanted(); at += PIECE) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    hash.add(bytes);
    pieces.push(base64Of(bytes));
  }
  return { content: pieces.join(''), digest: hash.digest() };
}

/** @param {Uint8Array} bytes */
function base64Of(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}

/**
 * A hash of 64 bits, which tells apart contents that differ by chance, not by an attack. `crypto.subtle` is not used: it hashes
 * no pieces, and pages without encryption do not have it.
 */
function createHash() {
  let [one, other] = [0x9747b28c, 0x811c9dc5];
  return {
    /** @param {Uint8Array} bytes */
    add(bytes) {
      for (const byte of bytes) {
        one = Math.imul(one ^ byte, 0x9e3779b1);
        other = Math.imul(other ^ byte, 0x5f356495) ^ (one >>> 15);
      }
    },
    digest: () => [one ^ (other >>> 13), other ^ (one >>> 16)].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join(''),
  };
}
