// Messages are edited, answered anew and taken back; a line below each reply says what ended it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createDrafts } from '../../service/browser/page/drafts.js';
import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { writesIn } from '../../service/browser/chat/message-actions.js';
import { createReplyChanges } from '../../service/browser/chat/reply-changes.js';
import { markdownOf } from '../../service/browser/chat/message-text.js';
import { isExpected } from '../../service/browser/chat/turn-reader.js';
import { changesIn, linesOf, requestUndo } from '../../service/browser/calls/turn-undo.js';
import { canContinue, creditsText, durationText, endingOf, factsOf, summaryOf } from '../../service/browser/chat/turn-words.js';
import { FakeStorage, conversation, stream, text } from './conversations.mjs';

const FINISH = { type: 'finish' };
const row = (recordId, role, content) => ({ recordId, data: { role, content } });
const CHAT = () => [row('u1', 'user', 'one'), row('a1', 'assistant', 'eins'), row('u2', 'user', 'two'), row('a2', 'assistant', 'zwei')];
const ids = (talk) => talk.messages.map(({ id }) => id).join();
const turn = (data) => ({ recordId: 't', createdAt: new Date().toISOString(), updatedAt: '', data: { modelId: 'm', status: 'finished', finishReason: 'stop', ...data } });

test('an edited message replaces the stored one with all that follows', async () => {
  const { talk, sent, drafts } = conversation({ rows: CHAT(), answers: [stream(text('Eins'), FINISH)] });
  await talk.load();
  await talk.edit('u1', 'one, please', 'm');
  const { userMessageId, content, replaces, trigger } = sent[0];
  assert.deepEqual([userMessageId, content, replaces, trigger], ['u1', 'one, please', 'u1', 'regenerate-message']);
  assert.deepEqual([ids(talk), talk.messages[0].text], ['u1,msg_1', 'one, please']);
  assert.equal(drafts.question('chat'), null);
});

test('a reply is answered anew with the text of its question, and with another model', async () => {
  const { talk, sent } = conversation({ rows: CHAT(), answers: [stream(text('zwo'), FINISH)] });
  await talk.load();
  await talk.regenerate('u2', 'other');
  assert.deepEqual([sent[0].content, sent[0].modelId, sent[0].replaces], ['two', 'other', 'u2']);
  assert.equal(ids(talk), 'u1,a1,u2,msg_1');
});

test('an edit that fails keeps the stored messages and its text, and can be sent again or given up', async () => {
  const answers = [new NetworkError(), stream({ type: 'error', errorText: 'No.' }), stream(FINISH)];
  const { talk, sent, drafts } = conversation({ rows: CHAT(), answers });
  await talk.load();
  await talk.edit('u2', 'edited', 'm');
  assert.deepEqual([talk.restoredText, talk.turn.question.text, ids(talk)], ['', 'edited', 'u1,a1,u2,a2']);
  await talk.retry('m');
  assert.deepEqual([sent[1].content, sent[1].replaces], ['edited', 'u2']);
  talk.dismiss();
  assert.deepEqual([talk.turn, talk.problem, drafts.question('chat')], [null, '', null]);
  await talk.send('edited', 'm');
  assert.equal(sent[2].replaces, undefined, 'what is typed afterwards is a message of its own');
});

test('who sends the text of a failed edit from the composer replaces nothing', async () => {
  const { talk, sent } = conversation({ rows: CHAT(), answers: [new NetworkError(), stream(FINISH)] });
  await talk.load();
  await talk.edit('u2', 'edited', 'm');
  await talk.send('edited', 'm');
  assert.notEqual(sent[1].userMessageId, 'u2');
  assert.equal(sent[1].replaces, undefined);
});

test('a new answer that is stopped before it begins leaves the earlier one; an edit keeps its text', async () => {
  for (const content of ['two', 'edited']) {
    const { talk } = conversation({ rows: CHAT(), answers: [stream({ type: 'abort' })] });
    await talk.load();
    await talk.edit('u2', content, 'm');
    assert.equal(ids(talk), 'u1,a1,u2,a2');
    assert.equal(talk.turn?.question.text, content === 'two' ? undefined : 'edited');
    assert.ok(isExpected(talk.problem), talk.problem);
  }
});

test('an edit that was being sent when the page was left becomes a text in the composer', async () => {
  const storage = new FakeStorage();
  createDrafts(storage, 'alice').setQuestion('chat', { id: 'u2', text: 'edited', replaces: true });
  const { talk, drafts } = conversation({ rows: CHAT(), storage });
  await talk.load();
  assert.deepEqual([talk.restoredText, drafts.question('chat')], ['edited', null]);
});

test('a failed message is sent again with its id, and leaves the composer', async () => {
  const { talk, sent } = conversation({ answers: [stream(text('par')), stream(FINISH)] });
  await talk.load();
  await talk.send('hello', 'm');
  const again = [talk.retry('m'), talk.retry('m')]; // a double click
  assert.equal(talk.storedText, 'hello');
  await Promise.all(again);
  assert.deepEqual([sent.length, sent[1].userMessageId, talk.storedText], [2, sent[0].userMessageId, 'hello']);
});

test('a message whose reply turns out to be stored is not sent again', async () => {
  const { talk, sent, rows, drafts } = conversation({ answers: [new NetworkError()] });
  await talk.load();
  await talk.send('hello', 'm');
  const [question, answer] = CHAT();
  rows.push({ ...question, recordId: drafts.question('chat').id }, answer);
  await talk.retry('m');
  assert.deepEqual([sent.length, talk.turn, talk.problem, ids(talk)], [1, null, '', `${sent[0].userMessageId},a1`]);
  assert.deepEqual([talk.restoredText, talk.storedText, drafts.question('chat')], ['', 'hello', null]);
});

test('only what the server has said makes it certain that a turn left nothing', async () => {
  const endings = [[stream({ type: 'error', errorText: 'No.' }), true], [stream(text('par')), false], [new NetworkError(), false]];
  for (const [answer, isCertain] of endings) {
    const { talk } = conversation({ answers: [answer] });
    await talk.load();
    await talk.send('hello', 'm');
    assert.equal(talk.nothingStored, isCertain);
  }
});

test('what ended a reply is said in words, and only the usual end is not', () => {
  const endings = [
    [{}, 'Finished', false],
    [{ finishReason: 'length' }, 'Length limit reached', true],
    [{ finishReason: 'tool-calls' }, 'Step limit reached', true],
    [{ finishReason: 'content-filter' }, 'Declined by the model', false],
    [{ status: 'aborted', reason: 'stop' }, 'Stopped', true],
    [{ status: 'aborted', reason: 'gone' }, 'Connection lost', true],
    [{ status: 'aborted', reason: 'drain' }, 'Ended by a restart of the server', true],
    [{ status: 'aborted' }, 'Interrupted', true],
  ];
  for (const [data, words, more] of endings) {
    assert.deepEqual([endingOf(turn(data)), canContinue(turn(data))], [words, more]);
    assert.equal(summaryOf(turn(data)).startsWith(words), words !== 'Finished');
  }
});

test('the details of a reply have its duration, tokens and cost', () => {
  const usage = { inputTokens: 1234, outputTokens: 5, cachedInputTokens: 1000, estimated: true };
  const facts = Object.fromEntries(factsOf(turn({ durationMs: 65_400, steps: 2, usage, credits: 0.0123 })));
  assert.deepEqual([facts.Duration, facts.Steps, facts.Cost], ['1 min 5 s', '2', '0.0123 credits']);
  assert.match(facts.Tokens, /^1.?234 in \(1.?000 from the cache\), 5 out, estimated$/);
  assert.deepEqual([durationText(420), durationText(59_700)], ['0.4 s', '1 min 0 s']);
  assert.deepEqual([creditsText(0), creditsText(0.00001), creditsText(1.00001)], ['0 credits', 'less than 0.0001 credits', '1 credit']);
});

test('an undo says what it will take back, and what it has left', () => {
  const call = (name, collection, state = 'done') => ({ kind: 'call', id: 'c', name, state, inputText: '', input: { collection } });
  const parts = [call('records.create', 'tasks'), call('records.create', 'tasks'), call('records.delete', 'notes')];
  const others = [call('records.query', 'tasks'), call('records.update', 'tasks', 'failed'), { kind: 'text', id: 't', text: 'x' }];
  assert.equal(changesIn(writesIn([...others, ...parts])), 'The assistant has created 2 tasks and deleted 1 note.');
  const conflict = { collection: 'notes', recordId: 'n', reason: 'The record has been changed since.' };
  const undone = [{ collection: 'tasks', recordId: 'a' }, { collection: 'tasks', recordId: 'b' }];
  assert.deepEqual(linesOf({ undone, conflicts: [conflict] }), ['Undone: 2 tasks.', 'Left as before: 1 note. The record has been changed since.']);
  assert.deepEqual(linesOf({ undone: [], conflicts: [] }), ['Nothing was undone.']);
});

test('what a tool of the app has changed is read once from the journal', async () => {
  const entry = (outcome, collection) => ({ turnId: 't', outcome, collection });
  const pages = [{ entries: [entry('added', 'tasks')], nextCursor: '7' }, { entries: [entry('updated', 'notes'), entry('called', 'integrations')], nextCursor: null }];
  const requests = [];
  const changes = createReplyChanges({ get: async (path, query) => requests.push([path, query.turnId, query.cursor]) && pages[requests.length - 1] });
  const call = (name, input) => ({ kind: 'call', id: 'c', name, state: 'done', inputText: '', input });
  const own = [call('records.create', { collection: 'tasks' }), call('integrations.call', {})];
  assert.deepEqual([changes.of('t', own, () => {}), requests], [[{ verb: 'created', collection: 'tasks' }], []]);
  let shown = 0;
  const read = () => changes.of('t', [call('plan-party', {})], () => (shown += 1));
  assert.deepEqual([read(), read()], [[], []]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(read(), [{ verb: 'created', collection: 'tasks' }, { verb: 'changed', collection: 'notes' }]);
  assert.deepEqual([shown, requests], [1, [['/api/ai/journal', 't', null], ['/api/ai/journal', 't', '7']]]);
});

test('a journal that can’t be read leaves what the calls tell', async () => {
  const changes = createReplyChanges({ get: () => Promise.reject(new ApiError(503, { error: 'unavailable', message: 'Later.' })) });
  const parts = ['records.create', 'plan-party'].map((name) => ({ kind: 'call', id: name, name, state: 'done', inputText: '', input: { collection: 'tasks' } }));
  const read = () => changes.of('t', parts, () => assert.fail('nothing more is known'));
  assert.deepEqual(read(), [{ verb: 'created', collection: 'tasks' }]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(read(), [{ verb: 'created', collection: 'tasks' }]);
});

test('an undo that another tab was faster with is over, one that must wait is not', async () => {
  const conflict = { error: 'conflict', message: 'Taken back already.' };
  for (const [error, isOver] of [[new ApiError(409, conflict), true], [new ApiError(409, conflict, 5), false], [new NetworkError(), false]]) {
    const told = await requestUndo('t', { post: async () => { throw error; } });
    assert.deepEqual([told.isOver, told.lines.length], [isOver, 1]);
  }
});

test('a reply is copied as the model has written it, without its calls', () => {
  const parts = [{ kind: 'text', id: '1', text: '# Plan' }, { kind: 'call', id: 'c', name: 'n' }, { kind: 'text', id: '2', text: '- one' }];
  assert.equal(markdownOf({ parts }), '# Plan\n\n- one');
});
