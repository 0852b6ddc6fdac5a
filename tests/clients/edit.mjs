// Edits a message of a chat with one version of the real `ai` package, as useChat does.
//
// stdin: {package, url, token, chatId}
// stdout: {unloadable} or {texts}: the texts of the client's messages after it sent two, answered one
// anew, and edited it

import { readFileSync } from 'node:fs';

const { package: name, url, token, chatId } = JSON.parse(readFileSync(0, 'utf8'));

/** The state that a framework keeps, in plain arrays. */
class State {
  status = 'ready';
  error = undefined;
  messages = [];
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) =>
    (this.messages = this.messages.map((one, at) => (at === index ? message : one)));
  snapshot = (value) => structuredClone(value);
}

/** As docs/api.md shows it. */
function request({ messages, headers, trigger, messageId }) {
  const last = messages.at(-1);
  const content = last.parts.filter((p) => p.type === 'text').map((p) => p.text).join('');
  const changed = messageId ? { replaces: last.id, trigger } : {};
  return { headers, body: { chatId, userMessageId: last.id, content, ...changed } };
}

const textOf = ({ parts }) => parts.map((part) => part.text ?? '').join('');

async function edited(ai) {
  const transport = new ai.DefaultChatTransport({
    api: `${url}/api/ai/chat`,
    headers: { Authorization: `Bearer ${token}` },
    prepareSendMessagesRequest: request,
  });
  const state = new State();
  class Chat extends ai.AbstractChat {}
  const chat = new Chat({ state, transport, generateId: () => crypto.randomUUID() });
  const texts = [];
  const note = () => texts.push(state.messages.map(textOf));
  await chat.sendMessage({ text: 'repeat after me: one' });
  await chat.sendMessage({ text: 'repeat after me: two' });
  note();
  const [first, answer] = state.messages;
  await chat.regenerate({ messageId: answer.id });
  note();
  await chat.sendMessage({ text: 'repeat after me: uno', messageId: first.id });
  note();
  if (state.error) throw state.error;
  return texts;
}

const ai = await import(name).catch((error) => ({ unloadable: error.message }));
const answer = ai.unloadable ? ai : { texts: await edited(ai) };
process.stdout.write(JSON.stringify({ node: process.version, ...answer }));
