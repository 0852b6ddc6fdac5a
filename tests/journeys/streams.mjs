// Turns of several users at once over one HTTP/2 connection, as a browser opens it.
// node streams.mjs URL CERTIFICATE < [[TOKEN, BODY], …]; prints for each turn its header and the times of its pieces.

import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';

const [url, certificate] = process.argv.slice(2);
const turns = JSON.parse(readFileSync(0, 'utf8'));
const session = connect(url, { ca: readFileSync(certificate) });

/** @param {string} token @param {object} body */
function turn(token, body) {
  return new Promise((resolve, reject) => {
    const headers = { ':method': 'POST', ':path': '/api/ai/chat', authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = session.request(headers);
    const times = [];
    let answer = {};
    let text = '';
    request.on('response', (head) => (answer = head));
    request.on('data', (piece) => {
      times.push(performance.now());
      text += piece;
    });
    request.on('end', () => resolve({ status: answer[':status'], id: answer['x-asst-id'], times, text }));
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

const ended = await Promise.all(turns.map(([token, body]) => turn(token, body)));
session.close();
console.log(JSON.stringify({ protocol: session.alpnProtocol, ended }));
