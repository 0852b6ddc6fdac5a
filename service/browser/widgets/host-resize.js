// @ts-check
// Limits the heights that widgets request. A page whose height depends on its frame would request new heights forever.
// So small changes are ignored, only one request counts in a quarter of a second, and only a few in a row.

const LEAST = 48; // CSS pixels, as all heights here
const MOST = 2_000;
const SMALL = 4;
const INTERVAL = 250; // ms
const PAUSE = 1_000; // ms without a request, after which requests count again
const CHANGES = 3;

/**
 * @param {() => number} now milliseconds
 * @returns {(height: number, current: number) => number | null} the height to set; null to keep the height
 */
export function createResizer(now = () => performance.now()) {
  let asked = -Infinity;
  let changed = -Infinity;
  let changes = 0;
  return (wanted, current) => {
    const height = Math.round(Math.min(MOST, Math.max(LEAST, wanted)));
    if (Math.abs(height - current) <= SMALL) return null;
    const time = now();
    if (time - asked > PAUSE) changes = 0;
    asked = time;
    if (changes >= CHANGES || time - changed < INTERVAL) return null;
    changes += 1;
    changed = time;
    return height;
  };
}
