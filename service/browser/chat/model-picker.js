// Selects the model that answers. The choice is stored for this tab.

import { element } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { storeIfPossible } from '../shared/site-data.js';

const KEY = 'console.model';

/**
 * @param {import('../shared/api-transport.js').Transport} transport @param {Storage} storage
 * @param {() => void} onLoad called when the models are known
 */
export function createModelPicker(transport, storage, onLoad) {
  const select = element('select', {
    class: 'model-picker',
    'aria-label': 'Model',
    on: { change: () => storeIfPossible(storage, KEY, select.value) },
  });
  let isMissing = false; // whether the models could not be read
  load();

  async function load() {
    isMissing = false;
    try {
      const { models } = await transport.get('/api/ai/models');
      const chosen = storage.getItem(KEY) ?? models.find((/** @type {any} */ m) => m.default)?.id;
      const usable = models.filter((/** @type {any} */ m) => m.configured);
      const none = element('option', { value: '' }, 'No model configured');
      select.replaceChildren(...(usable.length ? [] : [none]), ...models.map(option));
      if (usable.some((/** @type {any} */ m) => m.id === chosen)) select.value = chosen;
      select.title = '';
      onLoad();
    } catch (error) {
      isMissing = true;
      select.replaceChildren(element('option', { value: '' }, 'Default model'));
      select.title = errorText(error);
    }
  }

  return {
    node: select,
    /** Reads the models again if they could not be read. */
    refresh: () => void (isMissing && load()),
    /** @returns {string[]} the ids of the models that can answer */
    get usable() {
      return [...select.options].filter(({ value, disabled }) => value && !disabled).map(({ value }) => value);
    },
    /** @param {string} id of a model that can answer */
    choose(id) {
      select.value = id;
      storeIfPossible(storage, KEY, id);
    },
    /** @returns {string} '' for the server's default model */
    get modelId() {
      return select.value;
    },
  };
}

/** @param {{id: string, configured: boolean}} model */
function option({ id, configured }) {
  return element('option', { value: id, disabled: !configured }, configured ? id : `${id} (no key)`);
}
