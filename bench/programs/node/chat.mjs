// A typical chat relay on Node, for comparison: the AI SDK's streamText and its UI message stream, over plain HTTP.
//
// `node chat.mjs PORT UPSTREAM_URL`. It verifies no token and stores nothing. Its tool answers
// at once, like the service's `user.current`.

import { createServer } from 'node:http';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';

const [port, upstream] = process.argv.slice(2);
const anthropic = createAnthropic({ baseURL: `${upstream}/v1`, apiKey: 'x' });
const compatible = createOpenAICompatible({ name: 'c', baseURL: `${upstream}/v1`, apiKey: 'x' });
const tools = {
  user__current: tool({
    description: 'Look up the record of the user you are talking to.',
    inputSchema: jsonSchema({ type: 'object', properties: {} }),
    execute: async () => ({ recordId: 'bench', displayName: 'Bench' }),
  }),
};

async function read(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

createServer(async (request, response) => {
  if (request.method !== 'POST') return response.end('ok');
  const { content, modelId } = await read(request);
  streamText({
    model: (modelId ? compatible : anthropic)('bench'),
    messages: [{ role: 'user', content }],
    tools,
    stopWhen: stepCountIs(10),
    maxOutputTokens: 8192,
  }).pipeUIMessageStreamToResponse(response);
}).listen(Number(port), '127.0.0.1', 4096);
