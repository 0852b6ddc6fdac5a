// Formats numbers and credits for display, with the same rounding everywhere in the console.

const FEW = 0.1; // credits; smaller amounts need more than two decimals

/** Formats a number; all other functions use this one. @param {number} value @param {number} [digits] after the point, at most @returns {string} "1,000" */
export function formatNumber(value, digits = 0) {
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** @param {number} value @returns {string} "1,000", "991.28", "0.0195" */
export function numberInWords(value) {
  return formatNumber(value, Math.abs(value) < 1 ? 4 : 2);
}

/**
 * Formats a price, rounded up so that it never looks lower than it is.
 * @param {number} credits @param {number} [digits] after the point, from `FEW` credits on
 * @returns {string} "2.64 credits", "1 credit", "0.000375 credits"
 */
export function priceWords(credits, digits = 2) {
  const most = credits < FEW ? 6 : digits;
  const exact = Number((credits * 10 ** most).toFixed(3)); // removes the rounding error of the multiplication
  const shown = Math.ceil(exact) / 10 ** most;
  const text = formatNumber(shown, most);
  return `${text} ${shown === 1 ? 'credit' : 'credits'}`;
}
