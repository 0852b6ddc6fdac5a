// A widget with faults: the compiler must refuse each line that says so, and no other.

import { createWidgetClient } from '../../service/browser/widgets/widget-client.js';

const client = createWidgetClient();

export async function show() {
  await client.post('current-wether', { city: 'Bonn' }); // wrong: no such endpoint
  await client.post('send-email', { to: 'ada@suite.invalid', subject: 'Hello' }); // wrong: no content
  await client.post('send-email'); // wrong: no body
  await client.post('drive-list', { pageSize: '3' }); // wrong: a text for a number
  await client.post('drive-list', { size: 3 }); // wrong: no such parameter
  await client.post('advanced-web-search', { query: 'x', topic: 'gossip' }); // wrong: no such choice
  await client.get('send-email', { to: 'a', subject: 'b', content: 'c' }); // wrong: it does not only read
  const weather = await client.get('current-weather', { city: 'Bonn' });
  weather.colour; // wrong: no such field
  client.setOutput('place', 'Bonn'); // wrong: no object
  await client.connect(new Error('x')); // wrong: not an error that asks for a consent
}
