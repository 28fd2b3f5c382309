import { expect, onTestFinished, test } from 'vitest';
import webPush from 'web-push';
import { startPushService } from '#sandbox/push/start-push-service.ts';

const keys = webPush.generateVAPIDKeys();

async function start() {
  const service = await startPushService(0);
  onTestFinished(() => service.close());
  return service;
}

interface Sent {
  subject?: string;
  audience?: string;
  headers?: Record<string, string>;
  payload?: string;
}

/** Sends as the real package does, with a proof of ours. */
async function post(
  endpoint: string,
  browser: { p256dh: string; auth: string },
  {
    subject = 'mailto:operator@example.org',
    audience = new URL(endpoint).origin,
    headers = {},
    payload = 'ключ',
  }: Sent = {},
) {
  const { publicKey, privateKey } = keys;
  const { Authorization } = webPush.getVapidHeaders(audience, subject, publicKey, privateKey, 'aes128gcm');
  const request = webPush.generateRequestDetails({ endpoint, keys: browser }, payload, {
    TTL: 60,
    headers: { Authorization },
  });
  const sent = { ...request.headers, ...headers } as Record<string, string>;
  delete sent['Content-Length'];
  return fetch(endpoint, { method: 'POST', headers: sent, body: new Uint8Array(request.body ?? []) });
}

test('A browser subscribes, gets what the real package wrote, and unsubscribes', async () => {
  const { url } = await start();
  const made = await fetch(`${url}/subscribe?key=${keys.publicKey}`, { method: 'POST' });
  const { endpoint, keys: browser } = await made.json();
  const resource = made.headers.get('Location') ?? '';
  expect([made.status, made.headers.get('Link')]).toEqual([201, `<${endpoint}>; rel="urn:ietf:params:push"`]);

  const first = await post(endpoint, browser, { payload: 'первый', headers: { Topic: 'one' } });
  expect([first.status, first.headers.get('TTL')]).toEqual([201, '60']);
  await post(endpoint, browser, { payload: 'второй', headers: { Topic: 'other', Urgency: 'high' } });
  await post(endpoint, browser, { payload: 'третий', headers: { Topic: 'one' } });
  const { messages } = await (await fetch(resource)).json();
  expect(messages).toMatchObject([
    { text: 'второй', topic: 'other', urgency: 'high' },
    { text: 'третий', topic: 'one', urgency: 'normal' },
  ]);
  const receipt = await post(endpoint, browser, { headers: { Prefer: 'respond-async' } });
  expect([receipt.status, receipt.headers.get('Link')]).toEqual([
    202,
    expect.stringContaining('push:receipt'),
  ]);

  await fetch(resource, { method: 'DELETE' });
  expect((await post(endpoint, browser)).status).toBe(410);
  expect((await post(`${url}/push/unknown`, browser)).status).toBe(404);
});

test('What a push service must not take is refused', async () => {
  const { url, world } = await start();
  const { id, keys: browser } = world.subscribe(keys.publicKey);
  const [foreign, other] = [world.subscribe('another key'), world.subscribe()];
  const endpoint = `${url}/push/${id}`;
  const status = async (sent: Sent, to = endpoint) => (await post(to, browser, sent)).status;
  expect(await status({})).toBe(201);
  expect(await status({ headers: { TTL: 'soon' } })).toBe(400);
  expect(await status({ headers: { Topic: 'not a topic' } })).toBe(400);
  expect(await status({ headers: { Urgency: 'at once' } })).toBe(400);
  expect(await status({ headers: { 'Content-Encoding': 'aesgcm' } })).toBe(400);
  expect(await status({ headers: { Authorization: 'none' } })).toBe(401);
  expect(await status({ audience: 'https://elsewhere.example' })).toBe(401);
  expect(await status({ payload: 'x'.repeat(3994) })).toBe(413);
  expect(await status({}, `${url}/push/${foreign.id}`)).toBe(403);
  // Written for another browser: it could not be read there.
  expect(await status({}, `${url}/push/${other.id}`)).toBe(400);
  expect(world.find(id)?.taken).toBe(1);
});

test('A test can choose how the next messages are answered', async () => {
  const { url, world } = await start();
  const { id, keys: browser } = world.subscribe();
  const faults = JSON.stringify([{ status: 429, retryAfter: '7' }, { status: 500 }]);
  await fetch(`${url}/subscription/${id}/faults`, { method: 'POST', body: faults });
  const answers = [];
  for (let number = 0; number < 3; number++) answers.push(await post(`${url}/push/${id}`, browser));
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
    [429, '7'],
    [500, null],
    [201, null],
  ]);
});
