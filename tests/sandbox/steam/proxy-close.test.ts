import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSteam } from '#sandbox/steam/server.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';

test('Steam closes although a client is stuck in its handshake', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-steam-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const world = new SteamWorld({ now: Date.now, onChange: () => {} });
  const steam = await startSteam({ world, directory, proxyPort: 0, httpPort: 0 });
  const client = connect(Number(new URL(steam.proxyUrl).port), '127.0.0.1');
  client.on('error', () => {});
  client.write('CONNECT api.steampowered.com:443 HTTP/1.1\r\nHost: api.steampowered.com:443\r\n\r\n');
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(answer.toString()).toContain('200 OK');
  const gone = once(client, 'close');
  await steam.close();
  await gone;
});
