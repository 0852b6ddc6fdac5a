// An authorization server that somebody else wrote, as a process: `node server.mjs DIRECTORY`.
//
// It prints its port. What it is asked goes to seen.jsonl, a line each; what a test has put into
// script.json, by door, overrides its answers. The package itself checks PKCE, makes the codes,
// signs the tokens and knows its routes. What it leaves to its hooks is here: which client may
// ask, which scopes a token has, which refresh tokens there are, whose account it is.

import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { OAuth2Server } from "oauth2-mock-server";

const [directory] = process.argv.slice(2);
const server = new OAuth2Server();
const consented = new Map(); // by code or refresh token: what they may be used for

const script = () => JSON.parse(readFileSync(`${directory}/script.json`, "utf8"));

function note(door, told) {
  appendFileSync(`${directory}/seen.jsonl`, JSON.stringify({ door, ...told }) + "\n");
}

function answer(response, status, body) {
  response.statusCode = status;
  response.body = body;
}

function take(key) {
  const found = consented.get(key);
  consented.delete(key); // each is good once, so refresh tokens rotate
  return found;
}

server.service.on("beforeAuthorizeRedirect", ({ url }, { query }) => {
  note("authorize", query);
  consented.set(url.searchParams.get("code"), {
    client: query.client_id,
    redirect: query.redirect_uri,
    scope: script().scope ?? query.scope,
  });
});

// Two tokens of the same second would be the same.
server.service.on("beforeTokenSigning", ({ payload }) => (payload.jti = randomUUID()));

server.service.on("beforeResponse", (response, { body: form }) => {
  const { client, redirect, scope } = take(form.code ?? form.refresh_token) ?? {};
  const isCode = form.grant_type === "authorization_code";
  if (form.client_id !== script().client.id || form.client_secret !== script().client.secret) {
    answer(response, 401, { error: "invalid_client" });
  } else if (client !== form.client_id || (isCode && redirect !== form.redirect_uri)) {
    answer(response, 400, { error: "invalid_grant" });
  } else {
    consented.set(response.body.refresh_token, { client, scope });
    Object.assign(response.body, { scope });
  }
  Object.assign(response, script().token);
  note("token", { ...form, status: response.statusCode, answer: response.body });
});

server.service.on("beforeUserinfo", (response, { headers }) => {
  Object.assign(response.body, script().userinfo);
  note("userinfo", { authorization: headers.authorization });
});

server.service.on("beforeRevoke", (response, request) => {
  Object.assign(response, script().revoke);
  let body = ""; // the package doesn't read it
  request.on("data", (piece) => (body += piece));
  request.on("end", () => note("revoke", Object.fromEntries(new URLSearchParams(body))));
});

await server.issuer.keys.generate("RS256");
await server.start(0, "127.0.0.1");
console.log(server.address().port);
