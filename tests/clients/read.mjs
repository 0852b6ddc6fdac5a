// Reads turns of a running service with one version of the real `ai` package.
//
// stdin: {package, url, token, questions: [{chatId, userMessageId, content, modelId, cut}]}
//   a question with `cut` loses its connection after the first text, and is read by resuming
// stdout: {node, unloadable} or {node, readings}, a reading for each question, in order:
//   wire         the data of every event, as it was sent
//   chunks       what the package's transport made of it, until it gave up
//   message      what readUIMessageStream assembled
//   errors       the texts of the errors that it reported
//   invalid      the sent chunks that the package's own schema refuses, with its reason
//   header       the header X-Asst-Id
//   resubmits    whether useChat would send the message back by itself

import { readFileSync } from 'node:fs';

const AT_ONCE = 32; // turns; one after the other would mostly wait
const input = JSON.parse(readFileSync(0, 'utf8'));

function questionOf({ id, messages, body }) {
  const { id: userMessageId, parts } = messages.at(-1);
  return { body: { chatId: id, userMessageId, content: parts[0].text, modelId: body.modelId } };
}

async function read(ai, { chatId, userMessageId, content, modelId, cut }) {
  const reading = { chunks: [], message: null, errors: [], header: null };
  let body = Promise.resolve('');
  const transport = new ai.DefaultChatTransport({
    api: `${input.url}/api/ai/chat`,
    headers: { Authorization: `Bearer ${input.token}` },
    prepareSendMessagesRequest: questionOf,
    fetch: async (url, options) => {
      // A connection of its own: the server may just be closing an idle one that would be reused.
      const headers = new Headers(options.headers);
      headers.set('connection', 'close');
      const response = await fetch(url, { ...options, headers }).catch((error) => {
        throw new Error(`${error.message}: ${error.cause}`); // "fetch failed" alone explains nothing
      });
      reading.header = response.headers.get('x-asst-id');
      body = response.clone().text().catch(() => ''); // of a connection that was cut
      return response;
    },
  });
  try {
    const connection = new AbortController();
    let stream = await transport.sendMessages({
      chatId,
      abortSignal: connection.signal,
      messages: [{ id: userMessageId, role: 'user', parts: [{ type: 'text', text: content }] }],
      trigger: 'submit-message',
      body: { modelId },
    });
    if (cut) {
      await loseConnection(stream, connection);
      stream = await transport.reconnectToStream({ chatId });
    }
    await assemble(ai, stream, reading);
  } catch (error) {
    reading.errors.push(error.message);
  }
  reading.wire = dataOf(await body);
  reading.invalid = await refused(ai, reading.wire);
  const messages = reading.message ? [reading.message] : [];
  reading.resubmits = ai.lastAssistantMessageIsCompleteWithToolCalls({ messages });
  return reading;
}

async function loseConnection(stream, connection) {
  const reader = stream.getReader();
  for (let type = ''; type !== 'text-delta'; ) type = (await reader.read()).value.type;
  connection.abort();
  await reader.read().catch(() => null); // the error that an app sees
}

async function assemble(ai, stream, reading) {
  const noted = stream.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        reading.chunks.push(structuredClone(chunk)); // the reader may keep and change it
        controller.enqueue(chunk);
      },
    }),
  );
  const onError = (error) => reading.errors.push(error.message);
  for await (const message of ai.readUIMessageStream({ stream: noted, onError })) {
    reading.message = message;
  }
}

function dataOf(body) {
  const lines = body.split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => line.slice('data: '.length));
}

async function refused(ai, wire) {
  const schema = ai.uiMessageChunkSchema();
  const invalid = [];
  for (const data of wire.filter((data) => data !== '[DONE]')) {
    const reason = await reasonAgainst(schema, data);
    if (reason) invalid.push({ data, reason });
  }
  return invalid;
}

async function reasonAgainst(schema, data) {
  try {
    const { success, error } = await schema.validate(JSON.parse(data));
    return success ? null : error.message;
  } catch (error) {
    return error.message; // not even JSON
  }
}

async function readAll(ai) {
  const readings = [];
  const waiting = input.questions.map((question, index) => ({ question, index }));
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      readings[next.index] = await read(ai, next.question);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return readings;
}

const node = process.version;
const ai = await import(input.package).catch((error) => ({ unloadable: error.message }));
const answer = ai.unloadable ? { unloadable: ai.unloadable } : { readings: await readAll(ai) };
process.stdout.write(JSON.stringify({ node, ...answer }));
