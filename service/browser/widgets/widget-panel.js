// @ts-check
// The layout of a widget's page: the controls, the result, and a status line below.
//
// Only one action runs at a time. A new action ends the one before, whose answer is then not shown.

import { element, isFocusLost, isOff, setOff } from '../shared/elements.js';
import { newId } from '../shared/ids.js';
import { adviceFor, endingText, reconnectText } from './widget-advice.js';

/**
 * @typedef {import('./widget-advice.js').Advice} Advice
 * @typedef {{signal: AbortSignal, onStatus: (status: string) => void, timeoutMs?: number, idempotencyKey?: string}} CallOptions
 * @typedef {ReturnType<typeof createPanel>} Panel
 */

const WORKING = { awaiting_approval: 'Waiting for your approval…', running: 'Loading…' };

/**
 * @param {any} client
 * @param {object} options
 * @param {string} options.title of the page, for users who can't see the frame around it
 * @param {() => void} options.signOut forgets the token, so that the next call asks for one
 */
export function createPanel(client, { title, signOut }) {
  const controls = element('div', { class: 'widget-controls' });
  const content = element('div', { class: 'widget-content', tabindex: '-1' });
  const problem = element('div', { class: 'widget-problem', role: 'alert' });
  const status = element('p', { class: 'widget-status', role: 'status' });
  const stopButton = element('button', { type: 'button', class: 'quiet small', hidden: true, on: { click: stop } }, 'Cancel');
  const foot = element('div', { class: 'widget-foot' }, status, stopButton);
  const main = /** @type {HTMLElement} */ (document.getElementById('widget'));
  main.append(element('h1', { class: 'visually-hidden' }, title), controls, content, problem, foot);
  /** @type {AbortController | null} */
  let current = null;

  /** @param {string} state `empty`, `awaiting_approval`, `running`, `ready` or `error` @param {string} [sentence] */
  function setState(state, sentence = '') {
    main.dataset.state = state;
    const isBusy = Object.hasOwn(WORKING, state);
    main.toggleAttribute('aria-busy', isBusy);
    status.textContent = sentence;
    keepPlace(stopButton, () => (stopButton.hidden = !isBusy));
  }

  /** Changes a part of the page. If the part had the focus and loses it, the focus moves to the result. @param {HTMLElement} part @param {() => void} change */
  function keepPlace(part, change) {
    const isThere = document.hasFocus() && part.contains(document.activeElement); // otherwise the page around this frame has the focus
    change();
    if (isThere && isFocusLost()) content.focus({ preventScroll: true });
  }

  /**
   * @template T
   * @param {(options: CallOptions) => Promise<T>} act
   * @param {(result: T) => void} [show]
   */
  async function run(act, show = () => {}) {
    current?.abort();
    const own = (current = new AbortController());
    /** @param {string} step */
    const onStatus = (step) => own === current && setState(step, WORKING[/** @type {'running'} */ (step)]);
    keepPlace(problem, () => problem.replaceChildren());
    onStatus('running');
    try {
      const result = await act({ signal: own.signal, onStatus });
      if (own !== current) return;
      setState('ready');
      show(result);
    } catch (error) {
      if (own === current) showProblem(error, () => run(act, show));
    }
  }

  /**
   * Runs a call that must not be made twice. All tries have the same key, because a call without an answer may have been
   * carried out. The button is off meanwhile.
   * @template T
   * @param {HTMLButtonElement} pressed
   * @param {(options: CallOptions) => Promise<T>} act
   * @param {(result: T) => void} [show]
   * @param {string} [idempotencyKey] of a try that was begun before a reload
   */
  function runOnce(pressed, act, show, idempotencyKey = newId()) {
    if (isOff(pressed)) return undefined;
    return run(async (options) => {
      setOff(pressed, true);
      try {
        return await act({ ...options, idempotencyKey });
      } finally {
        setOff(pressed, false);
      }
    }, show);
  }

  function stop() {
    current?.abort();
    current = null;
    setState(content.childElementCount ? 'ready' : 'empty', 'Stopped.');
  }

  /** @param {unknown} error @param {() => void} [again] tries again; absent if this is not possible */
  function showProblem(error, again) {
    const advice = adviceFor(error);
    setState('error');
    const parts = [element('p', {}, advice.text), ...(again ? remedies(advice, error, again) : [])];
    keepPlace(problem, () => problem.replaceChildren(...parts));
  }

  /** @param {Advice} advice @param {any} error @param {() => void} again */
  function remedies({ remedy, label }, error, again) {
    if (!remedy) return [];
    const act = remedy === 'retry' ? again : remedy === 'sign-in' ? () => [signOut(), again()] : () => connect(error, again);
    return [element('button', { type: 'button', class: 'quiet small', on: { click: act } }, label)];
  }

  /** Call this in a click handler: browsers allow a new window only there. @param {any} error @param {() => void} again */
  async function connect(error, again) {
    const own = (current = new AbortController()); // so that Cancel and the next action end it
    try {
      const asked = client.connect(error);
      setState('running', 'Continue in the window that opened.');
      const { status: ending } = await asked;
      if (own !== current) return;
      if (ending === 'connected') again();
      else showProblem(error, again);
      if (ending !== 'connected') status.textContent = endingText(ending);
    } catch (failure) {
      if (own !== current) return;
      showProblem(failure, again);
      if (failure === error) status.textContent = reconnectText(error); // this page can't reconnect accounts
    }
  }

  return {
    main,
    controls,
    content,
    run,
    runOnce,
    showProblem,
    /** @param {string} sentence for the status line, which screen readers read out */
    say: (sentence) => (status.textContent = sentence),
    /** @param {...(Node | string | null)} nodes */
    show(...nodes) {
      keepPlace(content, () => content.replaceChildren(...nodes.filter((node) => node !== null)));
    },
    /** Shows what to do while there is no result yet. @param {string} sentence @param {...Node} actions @returns {HTMLElement} */
    showEmpty(sentence, ...actions) {
      setState('empty');
      const node = element('div', { class: 'widget-empty' }, element('p', {}, sentence), ...actions);
      keepPlace(content, () => content.replaceChildren(node));
      return node;
    },
  };
}
