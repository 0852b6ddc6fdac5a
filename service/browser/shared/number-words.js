// Formats numbers and credits for display, with the same rounding everywhere in the console.

const SMALL = 0.00005; // would be rounded to 0
const LARGE = 1e21;
const FEW = 0.1; // credits; smaller amounts need more than two decimals

/** Formats a number; all other functions use this one. @param {number} value @param {number} [digits] after the point, at most @returns {string} "1,000" */
export function formatNumber(value, digits = 0) {
  const text = value.toLocaleString('en', { maximumFractionDigits: digits });
  return text === '-0' ? '0' : text;
}

/** @param {number} value @returns {string} "1,000", "991.28", "0.0195"; a very small or very large one is not rounded to 0 or written out */
export function numberInWords(value) {
  const size = Math.abs(value);
  if (size >= LARGE || (size > 0 && size < SMALL)) return String(Number(value.toPrecision(3)));
  return formatNumber(value, size < 1 ? 4 : 2);
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
  return withCredits(formatNumber(shown, most));
}

/** @param {string} amount as it is shown @returns {string} "1 credit", "0.5 credits" */
export function withCredits(amount) {
  return `${amount} ${unitOf(amount)}`;
}

/** The unit of an amount, which is that of the rounded number. @param {string} amount as it is shown @returns {'credit' | 'credits'} */
export function unitOf(amount) {
  return amount === '1' ? 'credit' : 'credits';
}
