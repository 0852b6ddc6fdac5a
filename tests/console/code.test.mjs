// Highlighted code: the tokens of a line, and painting code that grows.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shown } from './plain-dom.mjs';
import { grammars } from '../../service/browser/shared/code-grammars.js';
import { languageOf } from '../../service/browser/shared/code-languages.js';
import { createPainter } from '../../service/browser/shared/code-painter.js';
import { tokensOf } from '../../service/browser/shared/code-tokens.js';

const SAMPLES = {
  js: 'const a = `x\n${y}\\``; /* long\ncomment */ call(0x1f, "it\\"s") // end',
  python: '@cache\ndef f(x: int = 1) -> str:\n    """Doc.\n    More."""\n    return f"{x}"  # why',
  sh: '# list\nfor f in *.txt; do\n  echo "$f" ${HOME}/a#b # end\ndone',
  json: '{"key": [1, -2.5e3, true, null], "text": "a \\"b\\" c"}',
  yaml: '# top\nname: "x"\nlist:\n  - key: 3\n    on: true # note',
  toml: '[table]\nkey = "value" # note\ncount = 3',
  sql: "SELECT count(*) FROM tasks -- all\nWHERE name = 'it''s' AND id > 10 /* a\nb */;",
  html: '<!-- a\nb --><a href="x" data-b=\'y\'>don\'t &amp;</a>\n<br/>',
  css: '/* a\nb */ .a:hover { color: #fff; margin: 0 -1.5em !important; }\n@media print { }',
  go: 'func main() { // go\n\tx := `raw\nstring`\n\treturn len(x) }',
  rust: "#[derive(Debug)]\nfn longest<'a>(x: &'a str) -> char { 'c' }",
  diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same',
};

/** The lines of a sample as tokens, `kind:text` for those that have one. */
function read(name) {
  let open = '';
  return SAMPLES[name].split('\n').map((line) => {
    const result = tokensOf(grammars[languageOf(name).grammar], line, open);
    open = result.open;
    assert.equal(result.tokens.map(({ text }) => text).join(''), line);
    return result.tokens.filter(({ kind }) => kind).map(({ kind, text }) => `${kind}:${text}`);
  });
}

test('strings and comments go on over lines', () => {
  assert.deepEqual(read('js'), [
    ['keyword:const', 'string:`x'], ['string:${y}\\``', 'comment:/* long'],
    ['comment:comment */', 'name:call', 'number:0x1f', 'string:"it\\"s"', 'comment:// end'],
  ]);
  assert.deepEqual(read('python').slice(2, 4), [['string:"""Doc.'], ['string:    More."""']]);
  assert.deepEqual(read('html')[1], ['comment:b -->', 'name:<a', 'keyword:href', 'string:"x"', 'keyword:data-b', "string:'y'", 'name:>',
    'number:&amp;', 'name:</a>']);
});

test('each language has its words', () => {
  assert.deepEqual(read('python')[1], ['keyword:def', 'name:f', 'number:1']);
  assert.deepEqual(read('sh').slice(1, 3), [['keyword:for', 'keyword:in', 'keyword:do'], ['keyword:echo', 'string:"$f"', 'name:${HOME}', 'comment:# end']]);
  assert.deepEqual(read('json')[0].slice(0, 5), ['name:"key"', 'number:1', 'number:-2.5e3', 'keyword:true', 'keyword:null']);
  assert.deepEqual(read('yaml').slice(3), [['name:key', 'number:3'], ['name:on', 'keyword:true', 'comment:# note']]);
  assert.deepEqual(read('toml'), [['keyword:[table]'], ['name:key', 'string:"value"', 'comment:# note'], ['name:count', 'number:3']]);
  assert.deepEqual(read('sql')[1].slice(0, 4), ['keyword:WHERE', "string:'it''s'", 'keyword:AND', 'number:10']);
  assert.deepEqual(read('css')[1].slice(1, 5), ['name:color', 'number:#fff', 'name:margin', 'number:0']);
  assert.deepEqual(read('rust')[1], ['keyword:fn', 'keyword:char', "string:'c'"]);
  assert.deepEqual(read('diff').map((tokens) => tokens[0]?.split(':')[0]), ['comment', 'comment', 'keyword', 'removed', 'added', undefined]);
});

test('every name leads to a grammar, and others to none', () => {
  for (const name of Object.keys(SAMPLES)) assert.ok(grammars[languageOf(name).grammar], name);
  assert.deepEqual(languageOf('TSX'), { label: 'TypeScript', grammar: 'script' });
  assert.equal(languageOf('constructor'), undefined);
});

/** The nodes after each of the texts has been painted. */
function painted(name, ...texts) {
  const code = document.createElement('code');
  const painter = createPainter(code, languageOf(name).grammar);
  for (const text of texts) painter.paint(text);
  assert.equal(code.textContent, texts.at(-1));
  return shown(code);
}

test('code that grows letter by letter looks as if it had come at once', () => {
  for (const [name, text] of Object.entries(SAMPLES)) {
    const prefixes = Array.from({ length: text.length }, (_, end) => text.slice(0, end + 1));
    assert.equal(painted(name, ...prefixes), painted(name, text), name);
  }
});

test('a complete line is painted once', () => {
  const code = document.createElement('code');
  const painter = createPainter(code, 'script');
  painter.paint('let a = 1;\nlet');
  const first = code.childNodes[0];
  painter.paint('let a = 1;\nlet b');
  assert.equal(code.childNodes[0], first);
  painter.paint('let c');
  assert.equal(code.textContent, 'let c');
});

test('long code is painted up to a limit, and shown whole', () => {
  const line = 'let a = "b"; // c\n';
  const spans = painted('js', line.repeat(10_000)).split('<span').length - 1;
  assert.ok(spans > 3000 && spans < 10_000, `${spans} spans`);
  assert.ok(!painted('json', `[${'1,'.repeat(2000)}`).includes('<span'));
});

test('hostile code is read in time proportional to its length', () => {
  for (const { grammar } of Object.keys(SAMPLES).map(languageOf)) {
    for (const piece of ['"', "'", '`', '/*', '\\', '<!--', '${', '[', 'a', '1', '-', ' ', '"a" ', '#', '<']) {
      tokensOf(grammars[grammar], piece.repeat(1000), '');
    }
  }
});
