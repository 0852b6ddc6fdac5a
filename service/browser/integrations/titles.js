// The titles of integrations. They are apart from the cards, because the chat shows them without the cards.

/** @type {Map<string, string>} those whose name says too little */
const TITLES = new Map([
  ['cloudsuite', 'Cloud suite'],
  ['shortvideo', 'Short videos'],
]);

/** @param {string} name of an integration, as in the status */
export function titleOf(name) {
  return TITLES.get(name) ?? wordsOf(name);
}

/** The words of a name such as `orderHistory` or `order-history`. @param {string} name */
export function wordsOf(name) {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[-_]+/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
