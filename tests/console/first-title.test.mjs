// The title that the console gives a chat when its first reply begins.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { titleFrom } from '../../service/browser/chat/first-title.js';

test('a title is what the marks of Markdown mean, in one line', () => {
  const titles = {
    '# Plan for **next** week': 'Plan for next week',
    '> quoted\n\nwhat *is* this?': 'quoted what is this?',
    '- [ ] buy `milk`\n- [x] eat ~~bread~~': 'buy milk eat bread',
    '```python\nprint(1)\n```\nWhy?': 'print(1) Why?',
    'Read [the docs](https://example.org/a)': 'Read the docs',
    '| a | b |\n|---|:-:|\n| 1 | 2 |': 'a b 1 2',
    '__both *kinds*__ of `__name__`': 'both kinds of __name__',
  };
  for (const [question, title] of Object.entries(titles)) assert.equal(titleFrom(question), title);
  for (const question of ['2 * 3 * 4', 'snake_case', 'a|b', 'C# or F#?', '-5 + 3', '---', '**', '<div> in HTML', "if __name__ == '__main__'", '__init__, __new__', '__init__.py', '\ue000 \ue001 \ue002']) {
    assert.equal(titleFrom(`\n ${question} `), question);
  }
});

test('a title has at most 60 characters, and ends with a whole word if that is not very long', () => {
  const start = 'Add three tasks: call the caterer, print the programme';
  assert.equal(titleFrom(`${start}, order badges for all`), start);
  assert.equal(titleFrom(`${'ab '.repeat(20)}cd`), 'ab '.repeat(20).trim());
  assert.equal(titleFrom('😀'.repeat(100)), '😀'.repeat(60));
  assert.equal(titleFrom(`see ${'x'.repeat(100)}`), `see ${'x'.repeat(56)}`);
});
