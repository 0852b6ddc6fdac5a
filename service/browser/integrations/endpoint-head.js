// The head of an endpoint's page: the names, the summary, the price, and the facts to know before a call.

import { element } from '../shared/elements.js';
import { withCode } from '../shared/schema-frame.js';
import { safeAddress } from '../page/safe-address.js';
import { categoryTitle, factsAbout } from './endpoint-words.js';
import { hrefOf } from '../page/route.js';

/** @param {import('./endpoint-search.js').Endpoint} endpoint */
export function createEndpointHead(endpoint) {
  const { name, aliases, category, summary, methods, docs } = endpoint;
  const facts = factsAbout(endpoint).flatMap(({ term, text }) => [element('dt', {}, term), element('dd', {}, text)]);
  const address = safeAddress(docs, location.href);
  return element(
    'header',
    { class: 'endpoint-head' },
    element('a', { class: 'endpoint-back', href: hrefOf('explorer') }, 'All endpoints'),
    element('p', { class: 'endpoint-category' }, categoryTitle(category)),
    element('h3', { class: 'endpoint-title' }, name),
    element('p', { class: 'endpoint-about' }, ...withCode(summary)),
    aliases.length > 0 && element('p', { class: 'endpoint-aliases' }, 'Also called ', ...aliases.map((alias) => element('code', {}, alias))),
    element('dl', { class: 'endpoint-facts' }, ...facts),
    element(
      'p',
      { class: 'endpoint-address' },
      element('code', {}, `${methods.join(' or ')} /api/integrations/${name}`),
      address && element('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, 'The vendor’s documentation'),
    ),
  );
}
