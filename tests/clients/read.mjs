// Reads turns of a running service with one version of the real `ai` package.
//
// stdin: {package, url, token, questions: [{chatId, userMessageId, content, modelId}]}
// stdout: {node, unloadable} or {node, readings}, a reading for each question, in order:
//   wire         the data of every event, as it was sent
//   chunks       what the package's transport made of it, until it gave up
//   message      what readUIMessageStream assembled
//   errors       the texts of the errors that it reported
//   invalid      the sent chunks that the package's own schema refuses, with its reason
//   header       the header X-Asst-Id
//   resubmits    whether useChat would send the message back by itself

import { readFileSync } from 'node:fs';

const AT_ONCE = 8; // turns; one after the other would mostly wait
const input = JSON.parse(readFileSync(0, 'utf8'));

function questionOf({ id, messages, body }) {
  const { id: userMessageId, parts } = messages.at(-1);
  return { body: { chatId: id, userMessageId, content: parts[0].text, modelId: body.modelId } };
}

async function read(ai, { chatId, userMessageId, content, modelId }) {
  const reading = { chunks: [], message: null, errors: [], header: null };
  let body = Promise.resolve('');
  const transport = new ai.DefaultChatTransport({
    api: `${input.url}/api/ai/chat`,
    headers: { Authorization: `Bearer ${input.token}` },
    prepareSendMessagesRequest: questionOf,
    fetch: async (...request) => {
      const response = await fetch(...request);
      reading.header = response.headers.get('x-asst-id');
      body = response.clone().text();
      return response;
    },
  });
  try {
    const stream = await transport.sendMessages({
      chatId,
      messages: [{ id: userMessageId, role: 'user', parts: [{ type: 'text', text: content }] }],
      trigger: 'submit-message',
      body: { modelId },
    });
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
  const events = body.split('\n\n').filter((event) => event.startsWith('data: '));
  return events.map((event) => event.slice('data: '.length));
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
