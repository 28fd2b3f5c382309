// The bot's sender of notices as a process of its own, and a push service that takes everything. Sends what is due in a store
// when it is told to, and says how long that took.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LeasedDeps } from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import { createPushClient } from '#bot/push/push-client.ts';
import { createPushSender } from '#bot/push/send-pushes.ts';
import { openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { findPushKeys } from '#domain/push/push-keys.ts';
import { testVault } from '#tests/support/database.ts';
import { heldLease } from '#tests/support/leases.ts';

async function serve(): Promise<void> {
  const service = createServer((request, answer) =>
    request.resume().on('end', () => answer.writeHead(201).end()),
  );
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  process.send?.(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
}

async function send(file: string, url: string): Promise<void> {
  sealColumnsWith(testVault);
  const db = await openSqlite(file);
  const config = { publicUrl: new URL('https://keepsake.example') };
  const clock = { now: () => Date.now(), stop: () => {} };
  const deps = { db, clock, config, log: createLog('warn'), lease: heldLease(db) } as unknown as LeasedDeps;
  const keys = await findPushKeys(db);
  if (!keys) throw new Error('the store has no keys');
  const client = createPushClient({ keys, subject: config.publicUrl.origin, ownService: new URL(url) });
  const { signal } = new AbortController();
  const sender = createPushSender({ deps, client, publicKey: keys.publicKey, signal });
  process.on('message', async () => {
    const begin = performance.now();
    await sender.begin(() => {});
    await sender.settled();
    process.send?.(performance.now() - begin);
  });
  process.send?.('ready');
}

const [role, file = '', url = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
await (role === 'service' ? serve() : send(file, url));
