import { expect, test } from 'vitest';
import { loader } from '#app/routes/metrics.ts';
import { answers } from '#app/services/metrics.server.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

const token = 'a token of more than 32 characters';
await setWeb({ METRICS_TOKEN: token });

const ask = (authorization?: string) =>
  new Visitor().call(loader, '/metrics', {
    headers: authorization ? { Authorization: authorization } : {},
  });

test('Only who knows the token reads what the web process measures', async () => {
  for (const wrong of [undefined, token, 'Bearer another', 'Bearer '])
    expect((await ask(wrong)).status).toBe(404);
  answers.observe({ status: '2xx' }, 0.01);
  const read = await ask(`Bearer ${token}`);
  expect([read.status, read.headers.get('Content-Type')]).toEqual([
    200,
    expect.stringContaining('text/plain'),
  ]);
  const { text } = read;
  expect(text).toContain('keepsake_event_streams 0');
  expect(text).toMatch(/keepsake_request_seconds_count\{status="2xx"\} \d+/);
});
