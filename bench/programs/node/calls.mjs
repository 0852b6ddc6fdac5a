// A typical proxy on Node, for comparison: Hono with its JWT middleware, and fetch.
//
// `node calls.mjs PORT UPSTREAM_URL`, with AUTH_SECRET in its environment.

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { jwt } from 'hono/jwt';

const [port, upstream] = process.argv.slice(2);
const app = new Hono();

app.get('/readyz', (c) => c.text('ok'));
app.use('/api/*', jwt({ secret: process.env.AUTH_SECRET, alg: 'HS256' }));
app.get('/api/integrations/geocode-city', async (c) => {
  const { city, count } = c.req.query();
  const query = new URLSearchParams({ name: city, count, language: 'en', format: 'json' });
  const response = await fetch(`${upstream}/v1/search?${query}`);
  if (!response.ok) return c.json({ success: false }, 502);
  return c.json({ success: true, data: await response.json() });
});

serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
