import { afterAll, expect, test } from 'vitest';
import { answers } from '#app/http/metrics.server.ts';
import { loader } from '#app/routes/metrics.ts';
import { startFakeBot } from './support/fake-bot.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

const token = 'a token of more than 32 characters';
const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url, METRICS_TOKEN: token });
afterAll(() => bot.stop());

const ask = (authorization?: string, path = '/metrics') =>
  new Visitor().call(loader, path, {
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

test('What the bot measures is passed on to whoever knows the token, because no other machine reaches it', async () => {
  bot.metrics = { token, text: 'keepsake_bot_ready{bot="demo"} 1\n' };
  const read = await ask(`Bearer ${token}`, '/metrics?of=bot');
  expect([read.status, read.text, read.headers.get('Content-Type')]).toEqual([
    200,
    bot.metrics.text,
    expect.stringContaining('text/plain'),
  ]);
  expect((await ask('Bearer another', '/metrics?of=bot')).status).toBe(404);
  expect((await ask(`Bearer ${token}`, '/metrics?of=another')).status).toBe(404);
  bot.metrics = null;
  expect((await ask(`Bearer ${token}`, '/metrics?of=bot')).status).toBe(502);
});
