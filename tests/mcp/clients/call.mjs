/**
 * Call tools by an official client of TypeScript, and tell what it has made of the answers.
 *
 * Standard input: {client, url, token, calls: [[name, arguments]]}. `client` is `sdk`, the client of the
 * first generation; or `client`, the one of the second, in the mode `legacy` or `auto`. Standard output:
 * {version, tools, results, asked, errors}: `asked` are the URLs that the client was asked to open.
 */

import * as first from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as second from "@modelcontextprotocol/client";

const { client: which, mode, url, token, calls } = JSON.parse(await text(process.stdin));
const identity = { name: `test-of-${which}`, version: "1" };
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
const told = { version: null, tools: [], results: [], asked: [], errors: [] };

const { client, transport } = which === "sdk" ? ofTheFirst() : ofTheSecond();
client.onerror = (error) => told.errors.push(String(error));
await client.connect(transport);
told.version = transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() ?? null;
told.tools = (await client.listTools()).tools;
for (const [name, args] of calls) {
  told.results.push(await client.callTool({ name, arguments: args }).catch((error) => ({ thrown: String(error) })));
}
await client.close();
process.stdout.write(JSON.stringify(told));

function ofTheFirst() {
  return {
    client: new first.Client(identity, { capabilities: {} }),
    transport: new StreamableHTTPClientTransport(new URL(url), { requestInit }),
  };
}

function ofTheSecond() {
  const capabilities = { elicitation: { url: {} } };
  const made = new second.Client(identity, { capabilities, versionNegotiation: { mode } });
  made.setRequestHandler("elicitation/create", async (request) => {
    told.asked.push(request.params);
    return { action: "accept" };
  });
  return { client: made, transport: new second.StreamableHTTPClientTransport(new URL(url), { requestInit }) };
}

async function text(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
