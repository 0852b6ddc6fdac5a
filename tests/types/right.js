// A widget without a fault: every line must pass the compiler.

import { OAuthRequiredError, createWidgetClient } from '../../service/browser/widgets/widget-client.js';

const client = createWidgetClient({ getToken: async () => 'token' });

export async function show() {
  const weather = await client.get('current-weather', { city: 'Bonn' });
  client.setOutput('place', { value: weather.current.temperature });
  await client.post('send-email', { to: 'ada@suite.invalid', subject: 'Hello', content: 'Hello.' });
  await client.post('cloudsuite/mail-list', { maxResults: 3 }, { timeoutMs: 1000 });
  await client.post('drive-list');
  const { jobId } = await client.post('generate-image', { prompt: 'A cat' });
  const { status } = await client.get(`jobs/${jobId}`);
  return status === 'done';
}

/** @param {unknown} error */
export async function connect(error) {
  if (error instanceof OAuthRequiredError) await client.connect(error);
}

export async function raw() {
  const answer = await createWidgetClient({ rawEnvelope: true }).post('drive-list');
  return answer.success ? answer.data.files : answer.error;
}
