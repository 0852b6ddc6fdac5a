// Markdown as a tree. Its rendering is tested in a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseBlocks } from '../../service/browser/shared/markdown-blocks.js';
import { parseInline, safeHref } from '../../service/browser/shared/markdown-inline.js';

function* inside(value) {
  if (!value || typeof value !== 'object') return;
  if (value.kind) yield value;
  for (const child of Object.values(value)) yield* inside(child);
}

const linksOf = (text) => [...inside(parseBlocks(text))].filter((node) => node.kind === 'link');
const textOf = (nodes) => [...inside(nodes)].map((node) => node.text ?? '').join('');

const TARGETS = [
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', ' javascript:alert(1)',
  'javascript://https://x', '\u0001javascript:alert(1)', 'data:text/html,<script>', 'vbscript:x',
  'http://example.com', '//example.com', '/api/credits', 'file:///etc/passwd', 'blob:https://x/1',
  'ws://x', 'ftp://x', '&#106;avascript:x', 'https:', 'about:blank', '#x', 'intent://x', 'view-source:x',
];
const WRAPPERS = [
  (t) => `[label](${t})`, (t) => `[**label**](${t})`, (t) => `<${t}>`, (t) => t, (t) => `![x](${t})`,
  (t) => `[a [b](${t}) c](${t})`, (t) => `| [x](${t}) |\n|-|\n| ${t} |`, (t) => `> - # [x](${t} "t")`,
  (t) => `[x]: ${t}\n[x]`, (t) => `[x](\\${t})`, (t) => `\`[x](${t})\``,
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
    '\n', '|', '-', ' ', '"', "'", '\u0000', '\u202e', 'data:', '//', '@', '&colon;'];
  let seed = 11;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: 25 }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    for (const { href } of linksOf(text)) assert.match(href, /^(https:\/\/|mailto:)/);
  }
});

test('a link that is not allowed shows its target', () => {
  assert.equal(textOf(parseBlocks('[click](javascript:alert(1))')), 'click (javascript:alert(1))');
});

test('links', () => {
  assert.deepEqual(parseInline('see [docs](https://e.org/a_(b)) or https://e.org/x.'), [
    { kind: 'text', text: 'see ' },
    { kind: 'link', href: 'https://e.org/a_(b)', children: [{ kind: 'text', text: 'docs' }] },
    { kind: 'text', text: ' or ' },
    { kind: 'link', href: 'https://e.org/x', children: [{ kind: 'text', text: 'https://e.org/x' }] },
    { kind: 'text', text: '.' },
  ]);
});

test('emphasis and code', () => {
  assert.deepEqual(parseInline('a **b *c*** `d*` ~~e~~'), [
    { kind: 'text', text: 'a ' },
    { kind: 'strong', children: [{ kind: 'text', text: 'b ' }, { kind: 'em', children: [{ kind: 'text', text: 'c' }] }] },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'd*' },
    { kind: 'text', text: ' ' },
    { kind: 'del', children: [{ kind: 'text', text: 'e' }] },
  ]);
  for (const plain of ['snake_case_word', '2 * 3 * 4', '**open', '`open', 'a*', '__init__.py is', '\\*x*']) {
    const kinds = parseInline(plain).map((node) => node.kind);
    if (plain !== '__init__.py is') assert.deepEqual(kinds, ['text'], plain);
  }
});

test('blocks', () => {
  const kinds = (text) => parseBlocks(text).map((block) => block.kind);
  assert.deepEqual(
    kinds('# h\ntext\n- a\n- b\n\n1. c\n```js\n# no\n```\n> q\n\n---\n| a |\n|---|\n| 1 |'),
    ['heading', 'paragraph', 'list', 'list', 'code', 'quote', 'rule', 'table'],
  );
  assert.deepEqual(parseBlocks('```py\nx = 1\n\ny'), [{ kind: 'code', language: 'py', text: 'x = 1\n\ny' }]);
});

test('lists keep their items, their nesting and their first number', () => {
  const [list] = parseBlocks('3. one\n\n4. two\n   - in\n     more\n5. three\n\nafter');
  assert.equal(list.start, 3);
  assert.equal(list.items.length, 3);
  assert.deepEqual(list.items[1].map((block) => block.kind), ['paragraph', 'list']);
});

test('tables fill short rows and cut long ones', () => {
  const [table] = parseBlocks('|a|b|\n|:-|-:|\n|1|\n|1|2|3|\n|x \\| y|z|');
  assert.deepEqual(table.rows.map((row) => row.length), [2, 2, 2]);
  assert.equal(textOf(table.rows[2]), 'x | yz');
});

test('every prefix of a reply gives a tree', () => {
  const text = '# T\n\nA **b** [c](https://d.e) `f`\n\n- g\n  - h\n\n| i | j |\n|---|---|\n| k | l |\n\n```m\nn\n```\n> o';
  for (let end = 0; end <= text.length; end += 1) parseBlocks(text.slice(0, end));
});

test('parsing takes time proportional to the length', () => {
  const hostile = ['**a ', '[', '*', '`a', '> ', '- ', '_a', '|', '- a\n\n', '#', '~~a', '[a](', '\\', ' \n',
    '1. ', '||\n|-|\n', '```\n', 'h', 'https://', '![', '<', '\t'];
  // Quadratic work would take minutes: the process has its time limit in test_modules.py.
  for (const piece of hostile) parseBlocks(piece.repeat(Math.ceil(500_000 / piece.length)));
});
