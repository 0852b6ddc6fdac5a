// The form control for a file: a button, a place to drop a file, and a field for base64 or an address as text.

import { element } from '../shared/elements.js';
import { createInput } from '../shared/schema-controls.js';
import { ownReasons } from '../shared/schema-details.js';
import { newControlId } from '../shared/schema-frame.js';
import { receiveFiles } from './file-drops.js';
import { fileFactsOf, sizeProblem, sizeWords } from './file-fields.js';
import { createNeighbours } from './file-neighbours.js';
import { readFile } from './file-reading.js';
import { fileOfText, textOfFile } from './file-text.js';

/**
 * @typedef {import('../shared/schema-fields.js').Field} Field
 * @typedef {import('../shared/schema-frame.js').Place} Place
 * @typedef {import('../shared/schema-frame.js').Control} Control
 * @typedef {import('./chosen-files.js').ChosenFiles} ChosenFiles
 */

const LOST = 'Choose it again: files are not stored with the draft.';

/**
 * @param {Field} field @param {Place} place
 * @param {{files: ChosenFiles, announce: (sentence: string) => void}} context
 * @returns {Control | null} null if the field is not a file
 */
export function createFileControl(field, place, { files, announce }) {
  const facts = fileFactsOf(field);
  if (!facts) return null;
  const { label, onChange } = place;
  const { most, kind } = facts;
  const id = newControlId();
  const input = createInput(field, place);
  const neighbours = createNeighbours(place.neighbour);
  let chosen = ''; // the text of the chosen file
  let round = 0; // the number of files that were chosen so far, to ignore a file that is read too late
  let isReading = false;

  const picker = element('input', { type: 'file', hidden: true, accept: kind || false, on: { change: pick } });
  const name = element('bdi', { class: 'file-name' });
  const size = element('span', { class: 'file-size' });
  const state = element('p', { class: 'file-state' });
  const card = element('div', { class: 'file-card', id: `${id}-card` }, element('p', {}, name, ' ', size), state);
  const problem = element('p', { class: 'field-problem', id: `${id}-problem` });
  const drop = element('span', { class: 'file-drop' }, most === undefined ? 'or drop it here' : 'or drop it here, ');
  const hint = element('span', { class: 'hint', id: `${id}-hint` }, drop, most !== undefined && `at most ${sizeWords(most)}`);
  const choose = element('button', { type: 'button', class: 'quiet', 'aria-describedby': `${id}-problem ${id}-card ${id}-hint`, on: { click: () => picker.click() } });
  const remove = element('button', { type: 'button', class: 'quiet', 'aria-label': `Remove the file of ${label}`, 'aria-describedby': `${id}-card`, on: { click: discard } }, 'Remove');
  const actions = element('div', { class: 'file-actions' }, choose, remove, hint, picker);
  input.node.append(card, actions, problem);
  receiveFiles(input.node, take);
  render();

  function render() {
    const file = fileOfText(chosen);
    const isLost = Boolean(file) && !isReading && !files.has(chosen);
    input.line.hidden = Boolean(file);
    card.hidden = remove.hidden = !file;
    hint.hidden = Boolean(file) && !isLost;
    name.textContent = file?.name ?? '';
    size.textContent = file ? sizeWords(file.size) : '';
    state.textContent = isReading ? 'Reading…' : isLost ? LOST : '';
    choose.textContent = isLost ? 'Choose the file' : file ? 'Choose another file' : 'Choose a file';
    choose.setAttribute('aria-label', `${choose.textContent} for ${label}`);
  }

  function pick() {
    const list = [...picker.files];
    picker.value = ''; // so that the same file can be chosen again
    take(list);
  }

  /** @param {File[]} list */
  async function take(list) {
    const [file] = list;
    if (!file) return;
    const refusal = list.length > 1 ? 'Choose only one file.' : sizeProblem(file, most);
    tell(refusal);
    if (refusal) return;
    round += 1;
    const own = round;
    const unread = textOfFile(file);
    files.put(unread, null);
    put(unread, true);
    try {
      const { content, digest } = await readFile(file, () => own === round);
      if (own === round) use(file, textOfFile(file, digest), content);
    } catch {
      if (own !== round) return;
      put('', false);
      tell(`“${file.name}” can’t be read.`);
      onChange();
    } finally {
      files.remove(unread);
    }
  }

  /** @param {File} file @param {string} text @param {string} content */
  function use(file, text, content) {
    files.put(text, content);
    put(text, false);
    neighbours.fill(file);
    onChange();
    announce(`${file.name}, ${sizeWords(file.size)}, is chosen`);
  }

  /** @param {string} text @param {boolean} reading */
  function put(text, reading) {
    chosen = text;
    isReading = reading;
    input.write('');
    render();
  }

  function discard() {
    const file = fileOfText(chosen);
    round += 1;
    tell('');
    put('', false);
    neighbours.clear();
    onChange();
    choose.focus();
    announce(`${file?.name} is removed`);
  }

  /** Shows why a file was refused. @param {string} text */
  function tell(text) {
    input.show(undefined);
    problem.textContent = text;
    choose.toggleAttribute('data-refused', Boolean(text));
    if (text) announce(text);
  }

  return {
    node: input.node,
    read: () => chosen || input.read(),
    write(next) {
      round += 1;
      tell('');
      chosen = fileOfText(next) ? next : '';
      isReading = false;
      input.write(chosen ? '' : next);
      render();
    },
    show(details) {
      const lines = input.show(chosen ? undefined : details);
      problem.textContent = chosen ? ownReasons(details) : '';
      choose.toggleAttribute('data-refused', problem.textContent !== '');
      return lines;
    },
  };
}
