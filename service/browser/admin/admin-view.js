// The page for admins. The route has the section and, for a user's page, the subject: `#/admin/users/alice`.

import { createAuditSection } from './audit-section.js';
import { createErrorsSection } from './errors-section.js';
import { createIntegrationsSection } from './integrations-section.js';
import { createOverviewSection } from './overview-section.js';
import { createTurnsSection } from './turns-section.js';
import { createUserPage } from './user-page.js';
import { createTabs } from '../page/tabs.js';
import { createUsersSection } from './users-section.js';
import { createRefresher } from './refresher.js';
import { element } from '../shared/elements.js';
import { hrefOf } from '../page/route.js';

/**
 * A section of the page. `load` reads its data again and resolves to a function that shows them. It throws the errors
 * of its requests.
 * @typedef {{node: HTMLElement, load: () => Promise<() => void>}} Section
 * @typedef {import('../page/view.js').ViewContext} ViewContext
 * @typedef {ViewContext & {reload: () => Promise<void>}} AdminContext `reload` shows the changes of an action
 */

const SECTIONS = [
  { name: 'overview', label: 'Overview', create: createOverviewSection },
  { name: 'users', label: 'Users', create: createUsersSection },
  { name: 'turns', label: 'Running replies', create: createTurnsSection },
  { name: 'integrations', label: 'Integrations', create: createIntegrationsSection },
  { name: 'errors', label: 'Errors', create: createErrorsSection },
  { name: 'audit', label: 'Audit', create: createAuditSection },
];

/** @param {ViewContext} context @returns {import('../page/view.js').View} */
export function createAdminView(context) {
  const tabs = createTabs('Admin', 'admin', SECTIONS.map(({ name, label }) => ({ id: name, label })));
  const place = element('div', { class: 'admin-place' });
  const refresher = createRefresher({ load: () => shown.section.load(), isVisible: () => node.isConnected });
  const head = element('div', { class: 'sheet-head' }, element('h2', {}, 'Admin'), refresher.node);
  const page = element('div', { class: 'sheet admin-page' }, head, tabs.node, refresher.problem, place);
  const node = element('div', { class: 'sheet-view admin-view' }, page);
  const own = { ...context, reload: refresher.now };
  /** @type {Map<string, Section>} */
  const sections = new Map();
  let shown = { id: '', title: 'Admin', section: sectionOf('overview', '') };

  /** @param {string} name @param {string} rest of the route, such as a user's subject @returns {Section} */
  function sectionOf(name, rest) {
    if (name === 'users' && rest) return createUserPage(own, rest);
    const entry = SECTIONS.find((each) => each.name === name) ?? SECTIONS[0];
    const section = sections.get(entry.name) ?? entry.create(own);
    sections.set(entry.name, section);
    return section;
  }

  /** After a link was followed, moves the focus to the link that leads back. @param {string} left the route before */
  function focusLinkBack(left) {
    const link = /** @type {HTMLElement | null} */ (place.querySelector(`a[href="${CSS.escape(hrefOf('admin', left))}"]`));
    (link ?? tabs).focus();
  }

  return {
    node,
    get title() {
      return shown.title;
    },
    show(named) {
      const id = named ?? 'overview';
      const [name, ...rest] = id.split('/');
      const left = shown.id;
      const hadFocus = left !== id && place.contains(document.activeElement);
      if (left !== id) shown = { id, title: titleOf(name, rest.join('/')), section: sectionOf(name, rest.join('/')) };
      place.replaceChildren(shown.section.node);
      if (hadFocus) focusLinkBack(left);
      tabs.mark(name);
      refresher.restart();
    },
    refresh: refresher.now,
    focus: () => tabs.focus(),
    stop: refresher.stop,
  };
}

/** @param {string} name @param {string} rest of the route @returns {string} */
function titleOf(name, rest) {
  if (name === 'overview') return 'Admin';
  if (name === 'users' && rest) return rest;
  return SECTIONS.find((each) => each.name === name)?.label ?? 'Admin';
}
