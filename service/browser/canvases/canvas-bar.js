// The bar above an open canvas: the title, whether the canvas is stored, and buttons for actions.

import { element, icon, setOff, tryAgain } from '../shared/elements.js';
import { hrefOf } from '../page/route.js';
import { CONTROL, isComposing } from '../shared/typing.js';

const PHASES = {
  loading: 'Loading…',
  saved: 'Saved',
  unsaved: 'Saving…',
  saving: 'Saving…',
  offline: 'Not saved yet',
  failed: 'Not saved',
  gone: 'Deleted',
};
const UNREAD = { ...PHASES, offline: 'Not loaded yet', failed: 'Not loaded' };
const READ_ONLY = 'This canvas is read-only: you see what others change, but you can’t change it yourself.';
const ZOOM_STEP = 1.25;

/**
 * @param {import('./canvas-room.js').CanvasRoom} room
 * @param {{add: () => void, arrange: () => void, panels: import('./canvas-panels.js').CanvasPanels}} actions
 */
export function createCanvasBar({ store, view, allowed, history, act, mayEdit, undo, redo, announce }, { add, arrange, panels }) {
  const title = element('input', {
    class: 'canvas-title',
    'aria-label': 'Title of the canvas',
    maxlength: '200',
    on: { change: rename, blur: showTitle, keydown: (/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && !isComposing(event) && title.blur() },
  });
  const phase = element('span', { class: 'hint canvas-phase' });
  const problem = element('span', { class: 'problem', role: 'alert' });
  const discard = button('Discard my changes', () => tryAgain(() => store.discard(), again, focus));
  const again = button('Try again', () => tryAgain(retry, again, focus));
  const trouble = element('div', { class: 'notice canvas-trouble', hidden: true }, problem, again, discard);
  const looking = element('p', { class: 'notice canvas-trouble', role: 'status', hidden: true });
  const back = button('Undo', undo, `${CONTROL}+Z`);
  const forth = button('Redo', redo, `${CONTROL}+Shift+Z`);
  const toggles = panels.all.map((panel) => ({ panel, node: button(panel.name, () => toggle(panel), panel.hint) }));
  const addButton = element('button', { type: 'button', class: 'primary', on: { click: add } }, icon('plus'), 'Add widget');
  const arrangeButton = button('Arrange', arrange, 'Put the widgets in order, from left to right');
  const tools = element(
    'div',
    { class: 'canvas-tools', role: 'group', 'aria-label': 'Tools of the canvas' },
    addButton,
    back,
    forth,
    button('−', () => view.camera.zoomBy(1 / ZOOM_STEP), 'Zoom out', 'Zoom out'),
    button('+', () => view.camera.zoomBy(ZOOM_STEP), 'Zoom in', 'Zoom in'),
    button('Show all', view.fit, 'Zoom so that all widgets are seen'),
    arrangeButton,
    ...toggles.map((each) => each.node),
    allowed.node,
  );
  const node = element(
    'div',
    { class: 'canvas-bar' },
    element('a', { class: 'canvas-back', href: hrefOf('canvas') }, 'Canvases'),
    title,
    phase,
    tools,
    trouble,
    looking,
  );

  /** @param {import('./canvas-panels.js').Panel} panel */
  function toggle(panel) {
    panels.toggle(panel);
    showPanels();
  }

  function showPanels() {
    for (const { panel, node: each } of toggles) each.setAttribute('aria-expanded', String(panel.isShown()));
  }

  function focus() {
    (addButton.disabled ? title : addButton).focus();
  }

  /** Removes the text first, so that screen readers read it out again if this try fails too. */
  function retry() {
    problem.textContent = '';
    return store.retry();
  }

  function rename() {
    const text = title.value.trim();
    if (text) act({ type: 'set-title', title: text });
  }

  function showTitle() {
    title.value = store.canvas?.title || store.canvas?.name || '';
  }

  let hasFailed = false; // since the canvas was last stored

  /** Announces that the canvas is stored only after a failure, not after each edit. The error itself is an alert. @param {string} state */
  function announceRecovery(state) {
    if (store.problem) hasFailed = true;
    else if (hasFailed && store.phase === 'saved') {
      hasFailed = false;
      announce(state);
    }
  }

  showPanels();
  panels.whenClosed(showPanels);
  return {
    node,
    focus,
    show() {
      const { canvas } = store;
      if (canvas && document.activeElement !== title) showTitle(); // a title that is being edited is not overwritten
      const isLooking = canvas !== null && !mayEdit();
      const words = canvas ? PHASES : UNREAD;
      const state = isLooking && store.phase === 'saved' ? 'Read-only' : words[store.phase];
      if (phase.textContent !== state) phase.textContent = state;
      announceRecovery(state);
      title.readOnly = isLooking;
      if (looking.hidden === isLooking) {
        looking.hidden = !isLooking;
        looking.textContent = isLooking ? READ_ONLY : '';
      }
      if (problem.textContent !== store.problem) problem.textContent = store.problem; // set only if it differs, so that screen readers read it once
      trouble.hidden = !store.problem;
      again.hidden = store.phase === 'gone';
      discard.hidden = store.phase !== 'failed' || !canvas;
      setOff(back, !history.canUndo);
      setOff(forth, !history.canRedo);
      addButton.disabled = arrangeButton.disabled = !canvas || isLooking;
    },
  };
}

/** @param {string} text @param {() => void} act @param {string} [hint] @param {string} [label] */
function button(text, act, hint, label) {
  return element('button', { type: 'button', class: 'quiet', title: hint, 'aria-label': label, on: { click: act } }, text);
}
