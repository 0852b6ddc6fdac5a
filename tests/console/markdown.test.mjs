// Markdown as a tree, and how it becomes nodes. Its look is tested in a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shown } from './plain-dom.mjs';
import { parseBlocks } from '../../service/browser/shared/markdown-blocks.js';
import { safeHref } from '../../service/browser/shared/markdown-links.js';
import { viewOf } from '../../service/browser/shared/markdown-views.js';
import { createRegion } from '../../service/browser/shared/markdown-region.js';

const views = (text) => parseBlocks(text).map(viewOf);

function* inside(value) {
  if (!value || typeof value !== 'object') return;
  yield value;
  for (const child of value.inside ?? value) yield* inside(child);
}

const linksOf = (text) => [...inside(views(text))].filter((view) => view.tag === 'a').map((view) => view.attributes);

/** As HTML without what is the same everywhere. */
function html(text) {
  const write = (view) => {
    if (typeof view === 'string') return view;
    if ('code' in view) return `<code ${view.language}>${view.code}</code>`;
    const names = ['class', 'start', 'colspan', 'href', 'checked', 'src'].filter((name) => name in view.attributes);
    const attributes = names.map((name) => ` ${name}=${view.attributes[name]}`).join('');
    const close = ['br', 'hr', 'input', 'img'].includes(view.tag) ? '' : `</${view.tag}>`;
    return `<${view.tag}${attributes}>${view.inside.map(write).join('')}${close}`;
  };
  return views(text).map(write).join('').replaceAll('<div class=table-box>', '');
}

/** The nodes after each of the texts has been shown in one region. */
function region(...texts) {
  const node = document.createElement('div');
  const { update } = createRegion(node);
  for (const text of texts) update(text);
  return shown(node);
}

const TARGETS = [
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', ' javascript:alert(1)',
  'javascript://https://x', '\u0001javascript:alert(1)', 'data:text/html,<script>', 'vbscript:x',
  'http://example.com', '//example.com', '/api/credits', 'file:///etc/passwd', 'blob:https://x/1',
  'ws://x', 'ftp://x', '&#106;avascript:x', 'https:', 'about:blank', '#x', 'intent://x', 'view-source:x',
];
const WRAPPERS = [
  (t) => `[label](${t})`, (t) => `[**label**](${t})`, (t) => `<${t}>`, (t) => t, (t) => `![x](${t})`,
  (t) => `[a [b](${t}) c](${t})`, (t) => `| [x](${t}) |\n|-|\n| ${t} |`, (t) => `> - # [x](${t} "t")`,
  (t) => `[x]: ${t}\n[x]`, (t) => `[x](\\${t})`, (t) => `\`[x](${t})\``, (t) => `[x](<${t}>)`,
];

test('only https and mailto become links', () => {
  for (const target of TARGETS) {
    for (const wrap of WRAPPERS) {
      for (const { href } of linksOf(wrap(target))) {
        assert.ok(['https:', 'mailto:'].includes(new URL(href).protocol), `${wrap(target)} → ${href}`);
      }
    }
  }
  assert.equal(linksOf('[x](http://example.com)').length, 0);
  assert.equal(safeHref('javascript:alert(1)'), null);
});

test('random text never makes another link', () => {
  const pieces = ['[', ']', '(', ')', '<', '>', 'javascript:', 'https://', 'mailto:', 'a', '\\', '*', '`',
    '\n', '|', '-', ' ', '"', "'", '\u0000', '\u202e', 'data:', '//', '@', '&colon;', '!'];
  for (const random of randoms(3000)) {
    for (const { href } of linksOf(randomText(random, pieces, 25))) assert.match(href, /^(https:\/\/|mailto:)/);
  }
});

test('a link that is not allowed shows its target', () => {
  assert.equal(html('[click](javascript:alert(1))'), '<p>click (javascript:alert(1))</p>');
});

test('links', () => {
  const a = (href, text) => `<a href=${href}>${text}</a>`;
  assert.equal(
    html('see [docs](https://e.org/a_(b)) or https://e.org/x. <me@e.org>, **https://e.org/y_z**'),
    `<p>see ${a('https://e.org/a_(b)', 'docs')} or ${a('https://e.org/x', 'https://e.org/x')}. `
      + `${a('mailto:me@e.org', 'me@e.org')}, <strong>${a('https://e.org/y_z', 'https://e.org/y_z')}</strong></p>`,
  );
  assert.equal(html('(https://e.org/a_(b))'), `<p>(${a('https://e.org/a_(b)', 'https://e.org/a_(b)')})</p>`);
});

test('a picture of another origin is a link, and one of our own is shown', () => {
  globalThis.origin = 'https://own.example';
  assert.equal(html('![a *cat*](https://e.org/c.png)'), '<p><a href=https://e.org/c.png>a cat</a></p>');
  assert.equal(html('![](/media/1)'), '<p><img src=https://own.example/media/1></p>');
  assert.equal(html('![x](//e.org/c.png)'), '<p>x (//e.org/c.png)</p>');
  globalThis.origin = 'null'; // a widget's frame
  assert.equal(html('![x](/media/1)'), '<p>x (/media/1)</p>');
});

test('emphasis and code', () => {
  assert.equal(
    html('a **b *c*** `d*` ~~e~~ ***f*** g**h**i'),
    '<p>a <strong>b <em>c</em></strong> <code>d*</code> <del>e</del> <em><strong>f</strong></em> g<strong>h</strong>i</p>',
  );
  for (const plain of ['snake_case_word', '2 * 3 * 4', '**open', '`open', 'a*', '~5 to ~6', '1 < 2 & 3 > 2']) {
    assert.equal(html(plain), `<p>${plain}</p>`);
  }
});

test('formulas stay as they were written', () => {
  for (const formula of ['$a_1 * b_2 * c_3$', '\\(x_1^2 \\, *y*\\)', '$$a \\\\ b_*c*$$', '\\[\\frac{a}{b}\\]']) {
    assert.equal(html(`so ${formula} holds`), `<p>so <span class=formula>${formula}</span> holds</p>`);
  }
  const block = '\\[\n  a = b \\\\\n- c_1 * d_1\n= 0\n\\]';
  assert.equal(html(`${block}\ntext`), `<pre class=formula>${block}</pre><p>text</p>`);
  assert.equal(html('$$\nx\n$$'), '<pre class=formula>$$\nx\n$$</pre>');
});

test('prices are no formulas', () => {
  const prices = 'from $5 to $10, **$20**, $3 or 4$5';
  assert.equal(html(prices), '<p>from $5 to $10, <strong>$20</strong>, $3 or 4$5</p>');
  assert.equal(html('$$\n\n# T'), '<p>$$</p><h4 class=level-1>T</h4>');
});

test('blocks', () => {
  assert.equal(
    html('# h #\ntext\n- a\n- b\n\n1. c\n```js x\n\t# no\n```\n> q\nlazy\n\n---\n| a |\n|---|\n| 1 |'),
    '<h4 class=level-1>h</h4><p>text</p><ul><li>a</li><li>b</li></ul><ol><li>c</li></ol>'
      + '<code js>\t# no</code><blockquote><p>q<br>lazy</p></blockquote><hr>'
      + '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table></div>',
  );
  assert.equal(html('```py\nx = 1\n\ny'), '<code py>x = 1\n\ny</code>');
});

test('lists keep their items, their nesting and their first number', () => {
  assert.equal(
    html('3. one\n4. two\n   - in\n     more\n5. three\n\nafter'),
    '<ol start=3><li>one</li><li>two<ul><li>in<br>more</li></ul></li><li>three</li></ol><p>after</p>',
  );
  assert.equal(html('- a\n\n- b'), '<ul><li><p>a</p></li><li><p>b</p></li></ul>');
});

test('bullets that models indent by two columns below a number are in its item', () => {
  assert.equal(
    html('1. a\n  - b\n    - c\n2. d'),
    '<ol><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ol>',
  );
});

test('tasks', () => {
  assert.equal(
    html('- [ ] a\n- [x] **b**\n- [y] c'),
    '<ul><li class=task><input>a</li><li class=task><input checked=checked><strong>b</strong></li><li>[y] c</li></ul>',
  );
});

test('tables keep their alignment, fill short rows and cut long ones', () => {
  const row = (...cells) => `<tr>${cells.join('')}</tr>`;
  assert.equal(
    html('|a|b|c|\n|:-|:-:|-:|\n|1|\n|1|2|3|4|\n|x \\| y|`z`|<br>|\nend'),
    `<table><thead>${row('<th class=align-left>a</th>', '<th class=align-center>b</th>', '<th class=align-right>c</th>')}</thead><tbody>`
      + row('<td class=align-left>1</td>', '<td colspan=2></td>')
      + row('<td class=align-left>1</td>', '<td class=align-center>2</td>', '<td class=align-right>3</td>')
      + row('<td class=align-left>x | y</td>', '<td class=align-center><code>z</code></td>', '<td class=align-right><br></td>')
      + '</tbody></table></div><p>end</p>',
  );
});

test('a line of a paragraph ends where its line ends', () => {
  assert.equal(html('a\nb  \nc\\\nd<br>e'), '<p>a<br>b<br>c<br>d<br>e</p>');
});

test('markup is text, and entities are characters', () => {
  assert.equal(html('<img src=x onerror=y> &lt;b&gt; &#9731; &nope;'), '<p><img src=x onerror=y> <b> ☃ &nope;</p>');
});

const SAMPLE = '# T\n\nA **b** [c](https://d.e) `f` $x$\nsetext\n---\n\n- g\n  - h\n\n  loose\n1) i\n\npara\n| j | k |\n|---|--:|\n'
  + '| l | m |\n\n```js\nlet n = `\n` // o\n\n```\n> p\n>\n> - [x] q\n\n    code\n\n$$\nr\n$$\n\n* * *\n2. s\ntail\r\nend\n#';

test('any way to split a text leads to the same nodes as the whole text', () => {
  const whole = region(SAMPLE);
  for (const random of randoms(60)) {
    const texts = [];
    for (let end = 0; end < SAMPLE.length; end += 1 + Math.floor(random() * 12)) texts.push(SAMPLE.slice(0, end));
    assert.equal(region(...texts, SAMPLE), whole);
  }
});

test('random texts, letter by letter, lead to the same nodes as at once', () => {
  const pieces = ['a', '*', '**', '_', '`', '```', '~~', '\n', '\n\n', '- ', '1. ', '> ', '# ', '|', '|-|', ' ', '    ', '\t',
    '---', '===', '$', '$$', '\\[', '[', '](b)', '![', '\\', '\r', '\r\n', '[x] ', '+', '<br>', '&lt;'];
  for (const random of randoms(400)) {
    const text = randomText(random, pieces, 24);
    const prefixes = Array.from({ length: text.length }, (_, end) => text.slice(0, end + 1));
    assert.equal(region(...prefixes), region(text), JSON.stringify(text));
  }
});

test('what is above the last block is not built again', () => {
  const node = document.createElement('div');
  const { update } = createRegion(node);
  let text = 'one **two**\n\n- three\n- four\n\n```js\nfive\n```\n\nsix';
  update(text);
  const kept = node.childNodes.slice();
  const last = node.lastChild.childNodes[0];
  for (const more of [' seven', ' *eight*', '\n\n> nine', '\n\n| a |\n|---|\n| b |']) update((text += more));
  assert.deepEqual(kept.map((each, at) => each === node.childNodes[at]), [true, true, true, true]);
  assert.equal(last, node.childNodes[3].childNodes[0]); // the text itself has grown
});

test('only the last blocks of a growing text are parsed again', () => {
  const parsed = [];
  class Growing extends String {
    slice(from) {
      const rest = super.slice(from);
      parsed.push(rest.length);
      return rest;
    }
  }
  const { update } = createRegion(document.createElement('div'));
  const whole = SAMPLE.repeat(20);
  for (let end = 7; end < whole.length; end += 7) update(new Growing(whole.slice(0, end)));
  assert.ok(parsed.length > 200);
  assert.ok(Math.max(...parsed) < 2 * SAMPLE.length, `${Math.max(...parsed)} of ${whole.length} characters`);
});

test('another text replaces the first', () => {
  assert.equal(region('a\n\nb', 'c'), region('c'));
  assert.equal(region('a\n\nb', 'a'), region('a'));
});

test('deep nesting ends in text', () => {
  for (const piece of ['> ', '- ', '1. ', '*a **b ', '[', '![', '> - ']) {
    const depth = (node) => 1 + Math.max(0, ...(node.childNodes ?? []).map(depth));
    const node = document.createElement('div');
  const { update } = createRegion(node);
    update(`${piece.repeat(5000)}x${' b** a*'.repeat(5000)}`);
    assert.ok(depth(node) < 120, piece);
  }
});

test('parsing takes time proportional to the length', () => {
  const hostile = ['**a ', '[', '*', '`a', '> ', '- ', '_a', '|', '- a\n\n', '#', '~~a', '[a](', '\\', ' \n', '1. ', '||\n|-|\n',
    '```\n', 'h', 'https://', '![', '<', '\t', '*a_ ', '$a ', '\\(', '\\[', '&', '<a:', '<a@', '[a](<', '[a](b "', '`` ` ', 'a\n-',
    '|a|a\n', '$$\n', '_*', '[*a](b) ', '![[', '**a*', '](b', '=\n', '`'];
  // Quadratic work would take minutes: the process has its time limit in test_modules.py.
  for (const piece of hostile) parseBlocks(piece.repeat(Math.ceil(100_000 / piece.length)));
  const wide = `${'|a'.repeat(90)}|\n${'|-'.repeat(90)}|\n`;
  assert.ok([...inside(views(wide + '|\n'.repeat(20_000)))].length < 100_000);
});

function* randoms(rounds) {
  let seed = 11;
  for (let round = 0; round < rounds; round += 1) yield () => (seed = (seed * 16807) % 2147483647) / 2147483647;
}

function randomText(random, pieces, length) {
  return Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join('');
}
