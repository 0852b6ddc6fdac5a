// @ts-check
// Draws the weather symbol for a WMO weather code of the forecast.

const SPACE = 'http://www.w3.org/2000/svg';
const SUN = 'M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM12 2.5v2.2M12 19.3v2.2M2.5 12h2.2M19.3 12h2.2M5.3 5.3l1.5 1.5M17.2 17.2l1.5 1.5M5.3 18.7l1.5-1.5M17.2 6.8l1.5-1.5';
const MOON = 'M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5z';
const CLOUD = 'M7 16.5a3.7 3.7 0 0 1 .2-7.4 5 5 0 0 1 9.6 1.2 3.2 3.2 0 0 1 .2 6.2z';
const DRAWINGS = {
  clear: SUN,
  night: MOON,
  partly: `${CLOUD}M15.5 4.2v-1.7M19.6 6.4l1.2-1.2M11.4 6.2l-1-1.2`,
  cloud: CLOUD,
  fog: 'M5 8h14M3.5 12h13M7 16h13.5M5 20h10',
  rain: `${CLOUD}M8.5 19l-.8 2.2M12.5 19l-.8 2.2M16.5 19l-.8 2.2`,
  snow: `${CLOUD}M8 20h.01M12 20h.01M16 20h.01M10 22h.01M14 22h.01`,
  storm: `${CLOUD}M12.5 17l-2 3h3l-2 3`,
};

/** @param {number | null} code of the WMO @param {boolean} isDay @returns {keyof typeof DRAWINGS} */
export function kindOf(code, isDay) {
  if (code === null) return 'cloud';
  if (code <= 1) return isDay ? 'clear' : 'night';
  if (code === 2) return 'partly';
  if (code === 3) return 'cloud';
  if (code <= 48) return 'fog';
  if ((code >= 71 && code <= 77) || code === 85 || code === 86) return 'snow';
  return code >= 95 ? 'storm' : 'rain';
}

/** The symbol, hidden from screen readers, because the text beside it has the same meaning. @param {number | null} code @param {boolean} isDay */
export function glyph(code, isDay) {
  const kind = kindOf(code, isDay);
  const drawing = document.createElementNS(SPACE, 'svg');
  drawing.setAttribute('viewBox', '0 0 24 24');
  drawing.setAttribute('class', `glyph glyph-${kind}`);
  drawing.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SPACE, 'path');
  path.setAttribute('d', DRAWINGS[kind]);
  drawing.append(path);
  return drawing;
}
