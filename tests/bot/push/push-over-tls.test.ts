import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import webPush from 'web-push';
import { createPushClient } from '#bot/push/push-client.ts';
import { PushWorld } from '#sandbox/push/push-world.ts';
import { ensureCertificates } from '#sandbox/steam/certificates.ts';
import { holdOnce } from '#tests/support/held-once.ts';

/** A push service with a certificate of the sandbox's authority, which this process trusts until the end of the test. */
async function startOverTls() {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-push-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { ca, cert, key } = await ensureCertificates(folder);
  const createSecureContext = tls.createSecureContext.bind(tls);
  const trust = vi
    .spyOn(tls, 'createSecureContext')
    .mockImplementation((options) => createSecureContext({ ...options, ca }));
  onTestFinished(() => trust.mockRestore());

  const handshake = holdOnce();
  const met = { connections: 0, notices: 0 };
  const server = createServer({
    cert,
    key,
    SNICallback: (_name, done) => void handshake.wait().then(() => done(null)),
  });
  server.on('connection', () => {
    met.connections += 1;
  });
  server.on('request', (request, response) => {
    request.resume().on('end', () => {
      met.notices += 1;
      response.writeHead(201).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // Its name is not among those of the certificate, and no test may call those.
  const names = vi.spyOn(tls, 'checkServerIdentity').mockReturnValue(undefined);
  onTestFinished(() => names.mockRestore());
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, handshake, met };
}

test('Over TLS a notice is begun once its handshake is over, or at once on a kept connection, if it still may be', async () => {
  const { url, handshake, met } = await startOverTls();
  const client = createPushClient({
    keys: webPush.generateVAPIDKeys(),
    subject: 'mailto:operator@example.org',
    ownService: new URL(url),
  });
  onTestFinished(() => client.close());
  const { keys } = new PushWorld().subscribe();
  const subscription = { endpoint: `${url}/push/1`, p256dh: keys.p256dh, auth: keys.auth };
  const send = (mayBegin: () => boolean) =>
    client.send(
      { subscription, payload: '{}', ttlS: 1, urgency: 'normal', topic: 'a', mayBegin },
      Date.now(),
    );

  const mayBegin = vi.fn(() => true);
  const first = send(mayBegin);
  await handshake.isReached;
  expect(mayBegin).not.toHaveBeenCalled();
  handshake.release();
  expect(await first).toEqual({ kind: 'sent' });
  expect(mayBegin).toHaveBeenCalledOnce();

  expect(await send(() => true)).toEqual({ kind: 'sent' });
  expect(met).toEqual({ connections: 1, notices: 2 });

  // The first one ends the kept connection; the second one is on a new one.
  expect(await send(() => false)).toEqual({ kind: 'tooLate' });
  expect(await send(() => false)).toEqual({ kind: 'tooLate' });
  expect(met).toEqual({ connections: 2, notices: 2 });
});
