// Files in the explorer's forms: their texts, their contents, their control, and the code that reads them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createChosenFiles } from '../../service/browser/integrations/chosen-files.js';
import { createFileControl } from '../../service/browser/integrations/file-control.js';
import { bodyProblem, fileFactsOf, sizeProblem, sizeWords } from '../../service/browser/integrations/file-fields.js';
import { readFile } from '../../service/browser/integrations/file-reading.js';
import { fileOfText, textOfFile } from '../../service/browser/integrations/file-text.js';
import { curl, javascript, python } from '../../service/browser/integrations/snippets.js';
import { fieldOf } from '../../service/browser/shared/schema-fields.js';
import { createSchemaForm } from '../../service/browser/shared/schema-form.js';
import './plain-dom.mjs';

const DIGEST = '0123456789abcdef';
const PLAN = `<Plan.txt, 13 bytes, ${DIGEST}>`;
const FILE = { type: 'string', contentEncoding: 'base64', maxLength: 16 };
const PICTURE = {
  type: 'string', maxLength: 6990508,
  anyOf: [{ type: 'string', format: 'uri' }, { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/*', maxLength: 6990508 }],
};
const facts = (/** @type {any} */ schema) => fileFactsOf(fieldOf(schema));

test('the text of a file has its name and its size', () => {
  assert.equal(textOfFile({ name: 'Plan.txt', size: 13 }, DIGEST), PLAN);
  for (const name of ['a, 5 bytes, x>.txt', '"\\.txt', '<>', 'ü 1']) assert.deepEqual(fileOfText(textOfFile({ name, size: 7 }, DIGEST)), { name, size: 7 });
  assert.deepEqual(fileOfText(textOfFile({ name: 'a\nb', size: 7 })), { name: 'a b', size: 7 });
  for (const other of ['YQ==', 'https://a.example/<a, 1 bytes>', `${PLAN} `, '', null, 5]) assert.equal(fileOfText(other), null);
});

test('a field is a file if its schema says that it is base64', () => {
  assert.deepEqual(facts(FILE), { most: 12, kind: '' });
  assert.deepEqual(facts(PICTURE), { most: 5242881, kind: 'image/*' });
  assert.deepEqual(facts({ type: 'string', contentEncoding: 'base64' }), { most: undefined, kind: '' });
  for (const other of [{ type: 'string' }, { type: 'string', format: 'uri' }, { type: 'array', items: FILE }, { type: 'string', contentEncoding: 'quoted-printable' }]) {
    assert.equal(facts(other), null);
  }
});

test('a size is written in the unit that fits, and both sizes differ in a refusal', () => {
  assert.deepEqual([0, 1, 1023, 1024, 1300000, 5242880, 3 * 2 ** 30].map(sizeWords), ['0 bytes', '1 byte', '1,023 bytes', '1 KiB', '1.2 MiB', '5 MiB', '3 GiB']);
  assert.equal(sizeProblem({ name: 'a', size: 12 }, 12), '');
  assert.equal(sizeProblem({ name: 'a', size: 12 }, undefined), '');
  assert.equal(sizeProblem({ name: 'a', size: 2 ** 23 }, 2 ** 22), '“a” has 8 MiB. At most 4 MiB are accepted here.');
  assert.equal(sizeProblem({ name: 'a', size: 5242882 }, 5242881), '“a” has 5,242,882 bytes. At most 5,242,881 bytes are accepted here.');
});

test('a body is measured in the bytes that are sent', () => {
  const body = { text: 'ä' }; // 13 bytes of JSON, 12 characters
  assert.equal(bodyProblem(body, 13), '');
  assert.match(bodyProblem(body, 12), /^The body has 13 bytes as JSON, where a file is a third larger\. At most 12 bytes are accepted\. Nothing was sent\.$/);
});

test('a file of any length is read as its base64, and its digest depends on all bytes', async () => {
  const digests = new Set();
  for (const length of [0, 1, 2, 3, 196607, 196608, 196609, 500000]) {
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 31) % 256));
    const { content, digest } = await readFile(new Blob([bytes]));
    assert.equal(content, bytes.toString('base64'));
    assert.match(digest, /^[0-9a-f]{16}$/);
    assert.equal((await readFile(new Blob([bytes]))).digest, digest);
    digests.add(digest);
    if (length) bytes[length >> 1] ^= 1;
    digests.add((await readFile(new Blob([bytes]))).digest);
  }
  assert.equal(digests.size, 15);
});

test('a large file is read in small pieces, and not to its end if it is no longer wanted', async () => {
  const file = new Blob([new Uint8Array(2 ** 23)]);
  /** @type {number[]} */ const sizes = [];
  const watched = Object.assign(new Blob([]), { slice: (/** @type {number} */ from, /** @type {number} */ to) => (sizes.push(to - from), file.slice(from, to)) });
  Object.defineProperty(watched, 'size', { value: file.size });
  assert.equal((await readFile(watched)).content.length, Math.ceil(file.size / 3) * 4);
  assert.ok(Math.max(...sizes) <= 2 ** 18, 'the page stands still while one piece is encoded');
  let asked = 0;
  await readFile(watched, () => (asked += 1) < 3);
  assert.equal(asked, 3);
});

test('only what is sent has the contents of files', () => {
  const files = createChosenFiles();
  const body = { file: PLAN, list: [{ other: `<b.txt, 2 bytes, ${DIGEST}>` }], text: 'x', none: null, count: 5 };
  files.put(PLAN, 'YQ==');
  files.put(body.list[0].other, null);
  assert.deepEqual(files.complete(body), { ...body, file: 'YQ==' });
  assert.deepEqual(files.problems(body), [{ path: ['list', 0, 'other'], text: '“b.txt” is still being read. Send again in a moment.' }]);
  files.put(body.list[0].other, '');
  assert.deepEqual([files.problems(body), files.complete(body).list], [[], [{ other: '' }]]);
  files.retain({ list: body.list });
  assert.deepEqual(files.problems(body), [{ path: ['file'], text: 'Choose “Plan.txt” again.' }]);
});

test('code reads a chosen file', () => {
  const call = { url: 'https://a.example/x', body: { name: "it's", file: PLAN, list: [`<it's.png, 1 bytes, ${DIGEST}>`] } };
  assert.equal(curl(call), [
    '{', String.raw`  printf %s '{"name":"it'\''s","file":"'`, String.raw`  base64 < Plan.txt | tr -d '\n'`, `  printf %s '","list":["'`,
    String.raw`  base64 < 'it'\''s.png' | tr -d '\n'`, `  printf %s '"]}'`, String.raw`} | curl https://a.example/x \ `.trim(),
    String.raw`  -H "Authorization: Bearer $TOKEN" \ `.trimEnd(), String.raw`  -H 'Content-Type: application/json' \ `.trimEnd(), '  -d @-',
  ].join('\n'));
  assert.match(javascript(call), /^import \{ readFile \} from 'node:fs\/promises';\n[^]*"file": await readFile\("Plan\.txt", 'base64'\),\n[^]* {6}await readFile\("it's\.png", 'base64'\)\n/);
  assert.match(python(call), /^from base64 import b64encode\nfrom pathlib import Path\n[^]*"file": b64encode\(Path\("Plan\.txt"\)\.read_bytes\(\)\)\.decode\(\),\n/);
  for (const write of [curl, javascript, python]) assert.ok(!write(call).includes(DIGEST));
});

/** A form with a file beside its name and its media type, and the parts of its control. @param {any} [schema] of the file */
function formWith(schema = FILE) {
  const files = createChosenFiles();
  /** @type {string[]} */ const said = [];
  const properties = { name: { type: 'string', maxLength: 20 }, file: schema, mimeType: { type: 'string', pattern: '/' } };
  let changes = 0;
  const form = createSchemaForm({ type: 'object', properties }, {
    onChange: () => (changes += 1),
    controlOf: (field, place) => createFileControl(field, place, { files, announce: (sentence) => said.push(sentence) }),
  });
  form.restore(null);
  const all = (/** @type {any} */ node) => [node, ...(node.childNodes ?? []).flatMap(all)];
  const find = (/** @type {(node: any) => boolean} */ test) => all(form.node).find((node) => node.tag && test(node));
  const picker = find((node) => node.attributes.type === 'file');
  const [choose, remove] = all(picker.parentNode).filter(({ tag }) => tag === 'button');
  return {
    files, form, said, choose, picker,
    changes: () => changes,
    text: () => picker.parentNode.parentNode.textContent,
    /** @param {...any} chosen */
    async choose(...chosen) {
      picker.files = chosen;
      picker.listeners.change();
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
    press: () => remove.listeners.click(),
    value: () => form.read().value,
  };
}

test('a chosen file fills its parameter, and its name and type where they are empty', async () => {
  const { form, files, choose, value, press, changes, said } = formWith();
  await choose(new File(['abc'], 'a.txt', { type: 'text/plain' }));
  assert.deepEqual([value().name, value().mimeType], ['a.txt', 'text/plain']);
  assert.deepEqual(files.complete(value()).file, 'YWJj');
  assert.deepEqual(said, ['a.txt, 3 bytes, is chosen']);
  await choose(new File(['abcd'], 'b.md'));
  assert.deepEqual([value().name, value().mimeType], ['b.md', undefined], 'they came from the other file');
  press();
  assert.deepEqual([value(), changes()], [{}, 3]);
  form.restore({ state: { name: 'Mine', file: '', mimeType: 'a/b' } });
  await choose(new File([''], 'c.txt', { type: 'text/plain' }));
  assert.deepEqual([value().name, value().mimeType, files.complete(value()).file], ['Mine', 'a/b', '']);
});

test('a file that is too large, or more than one, changes nothing', async () => {
  const { choose, value, text, said } = formWith();
  await choose(new File(['abc'], 'a.txt'));
  await choose(new File(['abcdefghijklm'], 'b.txt'));
  assert.match(text(), /a\.txt.*“b\.txt” has 13 bytes\. At most 12 bytes are accepted here\./);
  await choose(new File(['a'], 'c.txt'), new File(['a'], 'd.txt'));
  assert.match(text(), /Choose only one file\.$/);
  assert.equal(value().name, 'a.txt');
  assert.equal(said.at(-1), 'Choose only one file.');
  await choose(new File(['e'], 'e.txt'));
  assert.doesNotMatch(text(), /Choose only one file/);
});

test('a file that can not be read is told, and what was there is removed', async () => {
  const { choose, value, text } = formWith();
  const broken = Object.assign(new File(['abc'], 'gone.txt'), { slice: () => ({ arrayBuffer: () => Promise.reject(new Error('NotFoundError')) }) });
  await choose(broken);
  assert.match(text(), /“gone\.txt” can’t be read\.$/);
  assert.deepEqual(value(), {});
});

test('a file that is read too late is not put over a later one', async () => {
  const { form, choose, files, value } = formWith();
  /** @type {any} */ let finish;
  const slow = Object.assign(new File(['abc'], 'slow.txt'), { slice: () => ({ arrayBuffer: () => new Promise((resolve) => (finish = resolve)) }) });
  await choose(slow);
  assert.match(files.problems(value())[0].text, /“slow\.txt” is still being read/);
  await choose(new File(['abc'], 'fast.txt'));
  finish(new ArrayBuffer(3));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(fileOfText(value().file)?.name, 'fast.txt');
  assert.deepEqual(files.problems(value()), []);
  assert.ok(!JSON.stringify(form.draft()).includes('YWJj'), 'a draft has no content');
});

test('after a reload a draft shows which file has to be chosen again', async () => {
  const { form, files, choose, value, text } = formWith();
  form.restore({ state: { name: '', file: PLAN, mimeType: '' } });
  assert.match(text(), /Plan\.txt 13 bytesChoose it again: files are not stored with the draft\.Choose the file/);
  assert.deepEqual(files.problems(value()), [{ path: ['file'], text: 'Choose “Plan.txt” again.' }]);
  form.showProblems(files.problems(value()));
  assert.match(text(), /Choose “Plan\.txt” again\.$/);
  await choose(new File(['abc'], 'a.txt'));
  assert.deepEqual(files.problems(value()), []);
  assert.doesNotMatch(text(), /again/);
});

test('base64 and addresses can still be written, and go through JSON and back', () => {
  const { form, picker, value } = formWith(PICTURE);
  assert.equal(picker.attributes.accept, 'image/*');
  for (const typed of ['https://a.example/a.png', 'YQ==']) {
    form.restore({ state: { name: '', file: typed, mimeType: '' } });
    assert.deepEqual(value(), { file: typed });
    assert.ok(form.edit(true) && form.edit(false));
    assert.deepEqual(value(), { file: typed });
  }
});
