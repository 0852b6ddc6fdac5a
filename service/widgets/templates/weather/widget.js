// @ts-check
// Shows the weather of a place that is typed or comes from an input. The calls are free, so an input loads at once.

import { createDraft, createSearchLine, createWidget, element, formatTime, placeOf, textOf } from '../../../browser/widgets/widget-ui.js';
import { glyph } from './glyph.js';

const { client, panel, isAlone, onSettings } = createWidget('Weather');
const line = createSearchLine({ label: 'City', action: 'Show', placeholder: 'City', act: (city) => load({ name: city }) });
panel.controls.append(line.node);
panel.showEmpty(isAlone ? 'Type a city.' : 'Type a city, or connect a widget that gives a place.');

/** @type {{units?: 'metric' | 'imperial'}} */
let settings = {};
/** @type {import('../../../browser/widgets/widget-values.js').Place | null} */
let shown = null;
onSettings((next) => {
  settings = next;
  load(shown);
});
const draft = createDraft(client, panel, { city: line.field });
draft.ready.then(() => {
  client.onInput('place', (value) => receive('place', placeOf(value)));
  client.onInput('city', (value) => receive('city', placeOf({ name: textOf(value) })));
});

/** @param {string} input @param {import('../../../browser/widgets/widget-values.js').Place | null} place */
function receive(input, place) {
  if (place && draft.isNews(input, place)) draft.fill('city', place.name); // after a reload, a half-typed city stays
  load(place);
}

/** @param {import('../../../browser/widgets/widget-values.js').Place | null} place */
function load(place) {
  if (!place) return;
  shown = place;
  const { latitude, longitude } = place;
  const query = { ...(latitude === undefined ? { city: place.name } : { latitude, longitude }), ...settings };
  panel.run(
    (options) =>
      Promise.all([client.get('current-weather', query, options), client.get('weather-forecast', query, options)]),
    ([now, forecast]) => show(place.name, now, forecast),
  );
}

/** @param {string} place the text of the request @param {any} now @param {any} forecast */
function show(place, now, forecast) {
  const name = now.place.name ?? place; // the answer to a call with coordinates has no name
  const { temperature, unit } = degrees(now.current.temperature, now.units);
  const { feelsLike } = now.current;
  const about = [feelsLike === null ? '' : `Feels like ${rounded(feelsLike)}°`, wind(now)].filter(Boolean).join(' · ');
  panel.show(
    element(
      'div',
      { class: 'now' },
      glyph(now.current.weatherCode, now.current.isDay),
      element('p', { class: 'degrees' }, temperature, element('span', {}, unit)),
      element('p', { class: 'words' }, element('b', {}, name), element('span', {}, now.current.condition), element('span', { class: 'about' }, about)),
    ),
    element('ol', { class: 'days', 'aria-label': 'Next days' }, ...forecast.days.map(dayColumn)),
  );
  announce(name, now, forecast.days, `${temperature}${unit}`);
}

/** @param {number | null} value @param {any} units */
function degrees(value, units) {
  const unit = units?.temperature_2m ?? '°C';
  return { temperature: rounded(value), unit };
}

/** @param {number | null} value null if the vendor does not know it */
function rounded(value) {
  return value === null ? '–' : String(Math.round(value));
}

/** @param {any} now */
function wind({ current, units }) {
  return current.windSpeed === null ? '' : `Wind ${Math.round(current.windSpeed)} ${units?.wind_speed_10m ?? 'km/h'}`;
}

/** @param {any} day */
function dayColumn(day) {
  return element(
    'li',
    {},
    element('span', { class: 'about' }, formatTime(day.date, { weekday: 'short' })),
    glyph(day.weatherCode, true),
    element('span', { class: 'visually-hidden' }, day.condition),
    element('span', {}, `${rounded(day.tempMax)}°`, element('span', { class: 'about' }, ` ${rounded(day.tempMin)}°`)),
  );
}

/** @param {string} name @param {any} now @param {any[]} days @param {string} temperature */
function announce(name, now, days, temperature) {
  const { latitude, longitude, country } = now.place;
  const point = latitude === null || longitude === null ? {} : { latitude, longitude };
  client.setOutput('found', { name, ...point, ...(country ? { country } : {}) });
  client.setOutput('text', { value: `${name}: ${temperature}, ${now.current.condition}` });
  const rows = days.map((day) => ({ date: day.date, max: day.tempMax, min: day.tempMin, rain: day.precipitation, condition: day.condition }));
  client.setOutput('days', { value: rows });
}
