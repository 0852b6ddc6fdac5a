// @ts-check
// Converts any message to one short text without secrets, for developers of widgets.

const SECRET = /token|secret|password|authorization|cookie|nonce|api-?key|authurl|consentid/i;
const HIDDEN = '•••';
const DEEPEST = 8;

/** @param {unknown} message without its type @param {number} most characters @returns {string} the text; never throws */
export function messageText(message, most) {
  const text = textOf(message, { left: most }, []);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** @param {any} value @param {{left: number}} room in characters @param {object[]} above the objects around the value @returns {string} */
function textOf(value, room, above) {
  if (typeof value === 'string') return quoteText(value, room);
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) return takeText('BigInt', room); // formatting a very large number can take minutes
  if (typeof value !== 'object' || value === null) return takeText(String(value), room);
  if (above.includes(value)) return takeText('not_json', room); // a cycle
  if (above.length >= DEEPEST) return takeText('…', room);
  const isList = Array.isArray(value);
  if (!isList && Object.prototype.toString.call(value) !== '[object Object]') return takeText(kindOf(value), room);
  room.left -= 2; // for the brackets: a small message can have any number of empty lists
  const parts = [];
  for (const key of isList ? value.keys() : Object.keys(value)) {
    if (room.left <= 0) return `${isList ? '[' : '{'}${parts.join(',')},…`;
    const part = SECRET.test(String(key)) ? takeText(HIDDEN, room) : textOf(value[key], room, [...above, value]);
    parts.push(isList ? part : `${quoteText(String(key), room)}:${part}`);
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}

/** @param {string} text @param {{left: number}} room */
function quoteText(text, room) {
  return takeText(JSON.stringify(text.slice(0, Math.max(0, room.left) + 1)), room);
}

/** @param {string} text @param {{left: number}} room */
function takeText(text, room) {
  room.left -= text.length + 1;
  return text;
}

/** @param {object} value */
const kindOf = (value) => Object.prototype.toString.call(value).slice('[object '.length, -1);
