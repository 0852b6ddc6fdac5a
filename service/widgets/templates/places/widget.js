// @ts-check
// Searches places by text. A search costs credits, so an input only fills in the field.

import { createChoices, createDraft, createSearchLine, createWidget, element, placeOf, textOf } from '../../../browser/widgets/widget-ui.js';

/** @typedef {import('../../../browser/widgets/widget-values.js').Place} Place */

const { client, panel } = createWidget('Places');
const line = createSearchLine({ label: 'What to look for', action: 'Find', placeholder: 'Pizza in Boston', act: search });
const nearLine = element('p', { class: 'near', hidden: true });
/** @type {Place | null} */
let near = null;
panel.controls.append(line.node, nearLine);
panel.showEmpty('Find a café, a shop, an office. A search uses credits.');
const draft = createDraft(client, panel, { query: line.field });
draft.ready.then(() => client.onInput('query', (value) => fill(textOf(value).slice(0, 300))));
client.onInput('near', (value) => setNear(placeOf(value)));

/** @param {string} text */
function fill(text) {
  if (!text || !draft.isNews('query', text) || text === line.field.value) return;
  draft.fill('query', text);
  panel.say('Press Find to search.');
}

/** @param {Place | null} place */
function setNear(place) {
  near = place;
  nearLine.hidden = !place;
  nearLine.textContent = place ? `Near ${place.name}` : '';
  if (place) panel.say(line.field.value ? 'Press Find to search there.' : `Type what to look for near ${place.name}.`);
}

/** @param {string} text */
function search(text) {
  const point = near?.latitude === undefined ? {} : { latitude: near.latitude, longitude: near.longitude };
  const query = near && !('latitude' in point) ? `${text} near ${near.address ?? near.name}`.slice(0, 300) : text;
  panel.run((options) => client.get('search-places', { query, limit: 10, ...point }, options), ({ places }) => show(places));
}

/** @param {any[]} places */
function show(places) {
  if (!places.length) return panel.showEmpty('No such place. Try other words, or add a city.');
  panel.show(createChoices('Places', places.map(choice), choose));
  client.setOutput('items', { value: places.map(({ name, address, rating, reviews, type }) => ({ name, address, rating, reviews, type })) });
}

/** @param {any} place */
function choice(place) {
  const rating = place.rating === null ? '' : `★ ${place.rating.toFixed(1)}`;
  const open = { true: 'Open now', false: 'Closed' }[String(place.openNow)];
  const facts = [rating, open].filter(Boolean).join(' · ');
  return { text: place.name ?? '(no name)', about: [facts, place.address].filter(Boolean).join(' — '), value: place };
}

/** @param {any} place */
function choose({ name, address, latitude, longitude }) {
  const known = Object.entries({ address, latitude, longitude }).filter(([, value]) => value !== null);
  const title = name ?? address ?? '(no name)';
  client.setOutput('place', { name: title, ...Object.fromEntries(known) });
  panel.say(`${title} is chosen.`);
}
