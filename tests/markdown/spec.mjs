// Reads the examples of the CommonMark specification with our parser. stdout: the numbers of those
// whose HTML differs from the specification's.

import spec from 'commonmark-spec';

const { parseBlocks } = await import(process.argv[2]);

const SIGNS = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => SIGNS[sign]);

function inline(node) {
  switch (node.kind) {
    case 'text': case 'formula': return escaped(node.text);
    case 'code': return `<code>${escaped(node.text)}</code>`;
    case 'break': return node.isHard ? '<br />\n' : '\n';
    case 'image': return `<img src="${escaped(node.target)}" alt="${escaped(node.alt)}" />`;
    case 'link': return `<a href="${escaped(node.target)}">${node.children.map(inline).join('')}</a>`;
    default: return `<${node.kind}>${node.children.map(inline).join('')}</${node.kind}>`;
  }
}

function list({ start, isLoose, items }) {
  const tag = start === null ? 'ul' : 'ol';
  const from = start === null || start === 1 ? '' : ` start="${start}"`;
  const all = items.map(({ blocks }) => `<li>${blocks.map((each) => block(each, !isLoose)).join('')}</li>`);
  return `<${tag}${from}>${all.join('')}</${tag}>`;
}

function block(node, isTight = false) {
  const content = () => node.children.map(inline).join('');
  switch (node.kind) {
    case 'paragraph': return isTight ? `${content()}\n` : `<p>${content()}</p>`;
    case 'heading': return `<h${node.level}>${content()}</h${node.level}>`;
    case 'code': {
      const language = node.language && ` class="language-${escaped(node.language)}"`;
      return `<pre><code${language}>${escaped(node.text)}${node.text && '\n'}</code></pre>`;
    }
    case 'quote': return `<blockquote>${node.blocks.map((each) => block(each)).join('')}</blockquote>`;
    case 'list': return list(node);
    case 'rule': return '<hr />';
    default: return node.kind;
  }
}

/** Without titles, without white space between tags, and with addresses that are not encoded. */
function comparable(html) {
  return html.replace(/ title="[^"]*"/g, '').replace(/\s*\n\s*/g, '\n').replace(/>\n/g, '>').replace(/\n</g, '<').trim()
    .replace(/(href|src)="([^"]*)"/g, (_, name, address) => `${name}="${decoded(address).replace(/"/g, '&quot;')}"`);
}

function decoded(address) {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

const differing = spec.tests.filter(({ markdown, html }) => {
  const ours = parseBlocks(markdown.replaceAll('→', '\t')).map((each) => block(each)).join('');
  return comparable(ours) !== comparable(html.replaceAll('→', '\t'));
});
console.log(JSON.stringify({ all: spec.tests.length, differing: differing.map(({ number }) => number) }));
