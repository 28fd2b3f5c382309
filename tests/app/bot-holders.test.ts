import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { callBot, leaveByBot } from '#app/services/bot-client.server.ts';
import { database } from '#app/services/database.server.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { endLeases } from '#tests/support/leases.ts';
import { setWeb } from './support/web.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A bot that answers everything so. */
async function startBot(status: number, body: object): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(body)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const ours = await startBot(503, { code: 'steamUnavailable' });
await setWeb({ BOT_URL: ours });

test('A bot that has no Steam is passed over for the one that has it, as long as it does', async () => {
  const db = await database();
  const absent = { ok: false, code: 'steamUnavailable' };
  expect(await callBot('/readiness')).toEqual(absent);
  const holders = {
    steam: await startBot(200, { from: 'steam' }),
    'twitch:0': await startBot(200, { from: 'twitch' }),
  };
  for (const part of ['steam', 'twitch:0'] as const)
    await takeLeases(db, { holder: part, address: holders[part], version: '1.2.3' }, [part]);
  expect(await callBot('/readiness')).toEqual({ ok: true, body: { from: 'steam' } });
  expect(await leaveByBot('700')).toEqual({ ok: true, body: { from: 'twitch' } });
  await endLeases(db, ['steam']);
  expect(await callBot('/readiness')).toEqual(absent);
  await takeLeases(db, { holder: 'ours', address: ours, version: '1.2.3' }, ['steam']);
  expect(await callBot('/readiness')).toEqual(absent);
});
