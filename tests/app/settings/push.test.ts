import { expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as signOutAction } from '#app/routes/auth/signout.tsx';
import { action as turnOnAction, loader as turnOnLoader } from '#app/routes/settings/push.ts';
import { loader as settingsLoader } from '#app/routes/settings/settings.tsx';
import { loader as workerLoader } from '#app/routes/site/service-worker.ts';
import { database } from '#app/services/database.server.ts';
import { pushDevices } from '#db/schema/push.ts';
import { MAX_PUSH_DEVICES } from '#domain/push/push-devices.ts';
import { ensurePushKeys } from '#domain/push/push-keys.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { makePushSubscription } from '#tests/support/push-subscription.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

const guard = verified;
const path = '/settings/push';
const keys = { publicKey: 'the-public-key', privateKey: 'the-private-key' };
await ensurePushKeys(await database(), () => keys, START_MS);

const send = (visitor: Visitor, form: Record<string, string>, headers = {}) =>
  visitor.call(turnOnAction, path, { form, guard, headers });
const shown = async (visitor: Visitor) =>
  (await visitor.call(settingsLoader, '/settings', { guard })).body.push.devices;
const change = (visitor: Visitor, device: string, form: URLSearchParams | Record<string, string>) =>
  visitor.call(turnOnAction, path, {
    form: new URLSearchParams([['device', device], ...new URLSearchParams(form)]),
    guard,
  });
const firefox = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

test('A browser is turned on, told of what is chosen, and turned off', async () => {
  const { visitor } = await member();
  const subscription = makePushSubscription();
  const on = await send(visitor, subscription, firefox);
  expect([on.location, on.toast]).toEqual(['/settings#push', 'settings.push.turnedOn']);
  // Twice is one device.
  await send(visitor, subscription, firefox);
  const [device, ...others] = await shown(visitor);
  expect(others).toEqual([]);
  const all = ['promised', 'reminder', 'offerSent', 'delivered'];
  expect(device).toMatchObject({ browser: 'Firefox', system: 'Linux', isHere: true, events: all });
  await change(
    visitor,
    device.id,
    new URLSearchParams([
      ['event', 'reminder'],
      ['event', 'never heard of'],
    ]),
  );
  expect(await shown(visitor)).toMatchObject([{ events: ['reminder'] }]);
  // Its page shows no endpoint.
  expect(JSON.stringify(await shown(visitor))).not.toContain(subscription.endpoint);
  const off = await change(visitor, device.id, { act: 'off' });
  expect([off.toast, await shown(visitor)]).toEqual(['settings.push.turnedOff', []]);
});

test('A subscription that cannot be one is refused, and looking at the address leads to the settings', async () => {
  const { visitor } = await member();
  const good = makePushSubscription();
  const faults = [
    { endpoint: 'javascript:alert(1)' },
    { endpoint: 'https://user:password@push.example/' },
    { endpoint: `https://push.example/${'x'.repeat(1024)}` },
    { p256dh: 'AAAA' },
    { p256dh: Buffer.alloc(65, 5).toString('base64url') },
    // The right length and first byte, but no point of the curve.
    { p256dh: Buffer.alloc(65, 4).toString('base64url') },
    { auth: good.p256dh },
  ];
  for (const fault of faults) expect((await send(visitor, { ...good, ...fault })).status).toBe(400);
  expect(await shown(visitor)).toEqual([]);
  expect((await visitor.call(turnOnLoader, path, { guard })).location).toBe('/settings#push');
});

test('A device of somebody else can be neither changed nor turned off, and a shared browser is the last one’s', async () => {
  const [{ visitor: one }, { visitor: other }] = [await member(), await member()];
  const subscription = makePushSubscription();
  await send(one, subscription);
  const [{ id }] = await shown(one);
  expect((await change(other, id, { event: 'promised' })).status).toBe(404);
  await change(other, id, { act: 'off' });
  expect(await shown(one)).toHaveLength(1);
  await send(other, subscription);
  expect([await shown(one), (await shown(other)).length]).toEqual([[], 1]);
});

test('The service worker renews what is known, and turns nothing on that was turned off', async () => {
  const { visitor } = await member();
  const [first, second] = [makePushSubscription(), makePushSubscription()];
  const renew = (from: string, to: typeof first) => send(visitor, { ...to, from });
  expect((await renew(first.endpoint, second)).status).toBe(404);
  expect(await shown(visitor)).toEqual([]);
  await send(visitor, first, firefox);
  const [{ id }] = await shown(visitor);
  await change(visitor, id, { event: 'promised' });
  expect((await renew(first.endpoint, second)).status).toBe(204);
  expect(await shown(visitor)).toMatchObject([{ id, browser: 'Firefox', events: ['promised'] }]);
  const [row] = await (await database()).read.select().from(pushDevices);
  expect(row?.host).toBe(new URL(second.endpoint).host);
  // A device that was turned on with a page takes the place of the one that the worker still names.
  const third = makePushSubscription();
  await send(visitor, third, firefox);
  expect((await renew(second.endpoint, third)).status).toBe(204);
  expect(await shown(visitor)).toMatchObject([{ isHere: true }]);
  expect((await renew(second.endpoint, third)).status).toBe(204);
});

test('An account has a bounded number of devices: the one that was told least recently makes room', async () => {
  const { visitor } = await member();
  for (let number = 0; number <= MAX_PUSH_DEVICES; number++)
    await send(visitor, makePushSubscription(), { 'User-Agent': `Browser ${number}` });
  expect(await shown(visitor)).toHaveLength(MAX_PUSH_DEVICES);
});

test('Signing out ends the notices of that browser only', async () => {
  const { visitor } = await member();
  await send(visitor, makePushSubscription());
  const db = await database();
  const before = await db.read.$count(pushDevices);
  await visitor.call(signOutAction, '/auth/signout', { form: {} });
  expect(await db.read.$count(pushDevices)).toBe(before - 1);
});

test('Without a plan that has it, a delivery is not offered, and the choice of before stays', async () => {
  const { visitor } = await member();
  await send(visitor, makePushSubscription());
  const db = await database();
  await sellPlans(db, true, START_MS);
  const look = async () => (await visitor.call(settingsLoader, '/settings', { guard })).body.push;
  const { devices, choices } = await look();
  expect(choices.filter(({ needsPlan }: { needsPlan: boolean }) => needsPlan)).toEqual([
    { event: 'delivered', needsPlan: true },
  ]);
  await change(visitor, devices[0].id, { event: 'promised' });
  expect((await look()).devices[0].events).toEqual(['promised', 'delivered']);
  await sellPlans(db, false, START_MS);
});

test('Whoever signs in after a session ran out turns the notices of the earlier account off in that browser', async () => {
  const { visitor, email } = await member();
  const other = await member();
  const signIn = (address: string) =>
    visitor.call(signInAction, '/auth/signin', { form: { email: address, password: signUpForm().password } });
  await send(visitor, makePushSubscription(), firefox);
  const db = await database();
  const devices = () => db.read.$count(pushDevices);
  const before = await devices();
  visitor.plant('keepsake_session', '');
  expect((await signIn(email)).status).toBe(302);
  // Back to that account: a notice may have brought its owner here.
  expect(await shown(visitor)).toMatchObject([{ isHere: true }]);
  visitor.plant('keepsake_session', '');
  expect((await signIn(other.email)).status).toBe(302);
  expect([await shown(visitor), await devices()]).toEqual([[], before - 1]);
});

test('The service worker has the server’s key, and is asked for anew each time', async () => {
  const answer = await new Visitor().call(workerLoader, '/service-worker.js');
  expect(answer.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
  expect(answer.headers.get('Cache-Control')).toBe('no-cache');
  expect(answer.text).toContain("const SERVER_KEY = 'the-public-key';");
});
