// @ts-check
// Generates a picture from a text. This costs credits, so an input only fills in the field. Both endpoints store their
// pictures in this service; a widget's page may not show pictures from other hosts.

import { button, createDraft, createWidget, element, isFilledIn, labelled, textOf } from '../../../browser/widgets/widget-ui.js';

/** @type {Record<string, {endpoint: 'generate-image-classic' | 'generate-image-llm', title: string}>} */
const MODELS = {
  fast: { endpoint: 'generate-image-classic', title: 'Fast and cheap' },
  fine: { endpoint: 'generate-image-llm', title: 'Fine, with text that can be read' },
};
const LONGEST = 4000; // characters of a prompt
const TIMEOUT = 180_000; // ms; good pictures take one or two minutes

const { client, panel } = createWidget('Image');
const prompt = element('textarea', { class: 'field', 'aria-label': 'What to show', placeholder: 'What to show', required: true, minlength: 3, maxlength: LONGEST, rows: 2 });
const model = element('select', { class: 'field' }, ...Object.entries(MODELS).map(([value, { title }]) => element('option', { value }, title)));
const makeButton = button('Make', make, { class: 'primary' });
const fields = element(
  'div',
  { class: 'image-fields' },
  prompt,
  element('div', { class: 'widget-line' }, labelled('Model', model), makeButton),
);
panel.controls.append(fields);
panel.showEmpty('Say what the picture shows. Each picture uses credits.');
const draft = createDraft(client, panel, { prompt, model });
draft.ready.then(() => client.onInput('prompt', fill));

/** @param {unknown} value */
function fill(value) {
  const text = textOf(value).trim().slice(0, LONGEST);
  if (!text || !draft.isNews('prompt', text) || text === prompt.value) return;
  draft.fill('prompt', text);
  panel.say('Press Make for a picture of it.');
}

function make() {
  if (!isFilledIn(fields)) return;
  const text = prompt.value.trim();
  const { endpoint } = MODELS[model.value];
  const post = (/** @type {any} */ options) =>
    draft.sending(options, () => client.post(endpoint, { prompt: text }, { ...options, timeoutMs: TIMEOUT }));
  panel.runOnce(makeButton, post, ({ images }) => show(text, images), draft.pendingKey);
}

/** @param {string} text @param {any[]} images */
function show(text, images) {
  const [image] = images;
  if (!image) return panel.showEmpty('No picture was made. Use other words.');
  const gone = () => picture.isConnected && panel.showEmpty('The picture can’t be shown any more. Make it again.');
  const picture = element('img', { class: 'picture', alt: text, src: image.url, on: { error: gone } });
  panel.show(picture);
  client.setOutput('image', { url: image.url, prompt: text, mediaType: image.mediaType });
  panel.say('The picture is ready.');
}
