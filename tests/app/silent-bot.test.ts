import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { callBot } from '#app/services/bot-client.server.ts';
import { database } from '#app/services/database.server.ts';
import { addStreamer } from '#tests/support/fixtures.ts';
import { readerOf, wordsOf } from './support/site.ts';
import { setWeb } from './support/web.ts';

const WITHIN_MS = 5_000;
/** Longer than a bot's health is waited for, and shorter than the patience of who waits for Steam. */
const HURRIED_MS = 3_000;

/** The health and everything else: answered at once, or not before the other was asked, or never. */
let answers: { health: boolean; rest: 'never' | 'afterHealth' };
let waiting: ServerResponse[];

/** A bot that accepts connections, as a process does that was stopped by a signal. */
const server = createServer(({ url }, response) => {
  const answer = (to: ServerResponse) => to.writeHead(200).end('{"ok":true}');
  if (url !== '/healthz') return waiting.push(response);
  if (!answers.health) return;
  answer(response);
  if (answers.rest === 'afterHealth') for (const each of waiting.splice(0)) answer(each);
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
await setWeb({ BOT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
beforeAll(() => server.unref());
afterAll(() => server.closeAllConnections());
beforeEach(() => {
  waiting = [];
});

/** The deadlines that calls are given from now on; none is longer than this, if one is given. */
function watchDeadlines(longestMs = Number.POSITIVE_INFINITY): readonly number[] {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const deadlinesMs: number[] = [];
  const watched = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    deadlinesMs.push(ms);
    return timeout(Math.min(ms, longestMs));
  });
  onTestFinished(() => watched.mockRestore());
  return deadlinesMs;
}

test('A bot that hangs is given up by the deadline of its health, within five seconds', async () => {
  answers = { health: false, rest: 'never' };
  const deadlinesMs = watchDeadlines();
  // The answer's own deadline would make it `late`.
  expect(await callBot('/readiness')).toEqual({ ok: false, code: 'unreachable' });
  expect(Math.min(...deadlinesMs)).toBeLessThan(WITHIN_MS);
});

test('A bot that lives and waits for Steam is waited for', async () => {
  answers = { health: true, rest: 'afterHealth' };
  expect(await callBot('/readiness')).toEqual({ ok: true, body: { ok: true } });
});

test.each([
  ['en', '/items', /Our bot does not answer, so we cannot ask Steam/, /Steam did not answer/],
  ['ru', '/items?fresh=1', /Наш бот не отвечает/, /Steam не ответил/],
] as const)(
  'The inventory’s page names the bot that hangs, not Steam (%s, %s)',
  async (language, path, bot, steam) => {
    answers = { health: false, rest: 'never' };
    const { userId } = await addStreamer(await database());
    const reader = await readerOf(userId, language);
    const words = wordsOf((await reader.open(path)).html);
    expect(words).toMatch(bot);
    expect(words).not.toMatch(steam);
  },
);

test('A bot that lives while Steam takes too long is not blamed, and the page does not ask again', async () => {
  answers = { health: true, rest: 'never' };
  watchDeadlines(HURRIED_MS);
  expect(await callBot('/readiness')).toEqual({ ok: false, code: 'late' });
  const { userId } = await addStreamer(await database());
  const { html, status } = await (await readerOf(userId)).open('/items');
  expect(status).toBe(503);
  expect(wordsOf(html)).toMatch(/Steam did not answer/);
  expect(html).toContain('inventoryUnavailable');
  expect(html).not.toContain('botSilent');
});
