import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { processLog } from '#app/http/logger.server.ts';
import { callBot, nudgeBot } from '#app/services/bot-client.server.ts';
import { withRequestId } from '#platform/request-id.ts';
import { setWebEnvironment } from './support/web-environment.ts';

let status: number;
let askedBy: unknown[];

/** A bot that answers as ordered. The settings are read once. */
const server = createServer(({ headers }, response) => {
  askedBy.push(headers['x-request-id']);
  response.writeHead(status).end('{"code":"secretWrong"}');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  setWebEnvironment({ BOT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(() => void server.close());
beforeEach(() => {
  askedBy = [];
});

test('A secret that the bot refuses is logged as an error, once until the bot accepts it', async () => {
  status = 401;
  const logged = vi.spyOn(processLog, 'error');
  onTestFinished(() => logged.mockRestore());
  nudgeBot();
  await expect.poll(() => logged.mock.calls).toHaveLength(1);
  expect(await callBot('/inventory')).toEqual({ ok: false, code: 'secretWrong' });
  expect(logged.mock.calls).toEqual([[expect.stringContaining('the same BOT_SECRET')]]);
  status = 200;
  expect(await callBot('/inventory')).toMatchObject({ ok: true });
  status = 401;
  await callBot('/inventory');
  expect([askedBy.length, logged.mock.calls.length]).toEqual([4, 2]);
});

test('The bot is told which request asks', async () => {
  status = 200;
  await withRequestId('id-of-the-page', () => callBot('/inventory'));
  await callBot('/inventory');
  expect(askedBy).toEqual(['id-of-the-page', undefined]);
});
