// A form for the role of a user and for disabling the user. Each change must be confirmed.

import { createAction } from './action.js';
import { element } from '../shared/elements.js';

/** @param {import('./admin-view.js').AdminContext} context @param {string} subject */
export function createRightsForm(context, subject) {
  const action = createAction(context);
  const path = `/api/admin/users/${encodeURIComponent(subject)}`;
  const role = element('input', { class: 'field', maxlength: 64, 'aria-label': 'Role', placeholder: 'as in the token', autocapitalize: 'off', spellcheck: 'false' });
  const save = element('button', { class: 'quiet' }, 'Set role');
  const toggle = element('button', { type: 'button', class: 'quiet', on: { click: changeState } });
  const form = element('form', { class: 'admin-line', on: { submit: setRole } }, role, save);
  const title = element('h3', {}, 'Role and access');
  const node = element('div', { class: 'admin-box' }, title, form, element('div', { class: 'admin-line' }, toggle), action.problem);
  /** @type {import('./users-section.js').User | null} */
  let user = null;

  /** @param {Event} event */
  function setRole(event) {
    event.preventDefault();
    const wanted = role.value.trim() || null;
    const text = wanted
      ? `Within two seconds ${subject} has the rights of the role ${wanted}, whatever the token says.`
      : `Within two seconds ${subject} has the role of the token again.`;
    const question = { title: 'Set the role?', text, action: 'Set role', kind: 'primary' };
    action.ask(question, () => context.transport.patch(path, { role: wanted }));
  }

  function changeState() {
    const disabled = !user?.disabled;
    const question = disabled
      ? { title: `Disable ${subject}?`, text: 'Every token of this user is refused within two seconds. Nothing is deleted, and you can enable the user again.', action: 'Disable' }
      : { title: `Enable ${subject}?`, text: 'Valid tokens of this user are accepted again.', action: 'Enable', kind: 'primary' };
    action.ask(question, () => context.transport.patch(path, { disabled }));
  }

  return {
    node,
    /** @param {import('./users-section.js').User} read */
    show(read) {
      // An input that the admin is editing is not overwritten.
      if (document.activeElement !== role && role.value === (user?.role ?? '')) role.value = read.role ?? '';
      user = read;
      toggle.textContent = read.disabled ? 'Enable user' : 'Disable user';
    },
  };
}
