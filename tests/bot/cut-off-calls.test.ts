import { getEventListeners, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LeaseLapsed, unlimited } from '#bot/call-in-time.ts';
import { HELD_MS } from '#bot/leases.ts';
import { twitchErrors } from '#bot/metrics.ts';
import { answerInTime } from '#bot/steam/answer-in-time.ts';
import { abortedBy, createSteamClients } from '#bot/steam/steam-clients.ts';
import { DeadlineError } from '#bot/steam/steam-failure.ts';
import { getJson } from '#bot/steam/web-get.ts';
import { openTwitchClient, twitchApi } from '#bot/twitch/api.ts';
import { chatSender } from '#bot/twitch/chat/chat-sender.ts';
import type { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { second } from '#domain/kernel/time.ts';

const log = pino({ level: 'silent' });
const token = { accessToken: 'demo', refreshToken: null, scope: [], expiresIn: null, obtainmentTimestamp: 0 };
const provider = {
  clientId: 'demo',
  getCurrentScopesForUser: () => [],
  getAnyAccessToken: async () => token,
  getAccessTokenForUser: async () => token,
  getAppAccessToken: async () => token,
} as unknown as DatabaseAuthProvider;

/** A platform that takes requests and answers none. */
async function silentPlatform() {
  const asked: ServerResponse[] = [];
  const server = createServer((_, response) => void asked.push(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, port: (server.address() as AddressInfo).port };
}

test('A chat line is cut off when the account’s lease lapses, and none begins afterwards', async () => {
  const { asked, port } = await silentPlatform();
  process.env.TWURPLE_MOCK_API_PORT = String(port);
  // Otherwise the deadline of the request would cut it off, too.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  onTestFinished(() => void vi.restoreAllMocks());
  let leftMs = HELD_MS;
  const send = chatSender(
    openTwitchClient(provider, log, 'application', () => leftMs),
    '1',
  );
  const sending = send('2', { text: 'an answer', isAnnouncement: false });
  await expect.poll(() => asked.length).toBe(1);
  leftMs = 0;
  const later = send('2', { text: 'another answer', isAnnouncement: false });
  await expect.poll(() => asked[0]?.destroyed).toBe(true);
  expect([await sending, await later]).toEqual([{ end: 'unknown' }, { end: 'unknown' }]);
  expect(asked).toHaveLength(1);
});

test('A reading that is cut off when its lease lapses fails at once, and is not tried again', async () => {
  const { asked, port } = await silentPlatform();
  process.env.TWURPLE_MOCK_API_PORT = String(port);
  const lapsed = vi.fn(() => 0);
  let leftMs = () => HELD_MS;
  const onAnswer = vi.fn();
  const { followerPage } = twitchApi(provider, log, onAnswer, () => leftMs());
  const reading = followerPage('1', null).catch(twitchFaultOf);
  await expect.poll(() => asked.length).toBe(1);
  leftMs = lapsed;
  expect(await reading).toMatchObject({ code: 'leaseEnded' });
  expect(lapsed).toHaveBeenCalledTimes(1);
  expect(onAnswer).not.toHaveBeenCalled();
});

test('A reading that fails each time that it is tried counts as one error', async () => {
  let asked = 0;
  const server = createServer((request) => {
    asked += 1;
    request.socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  process.env.TWURPLE_MOCK_API_PORT = String((server.address() as AddressInfo).port);
  const counted = async () => {
    const { values } = await twitchErrors.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const before = await counted();
  const { followerPage } = twitchApi(
    provider,
    log,
    () => {},
    () => HELD_MS,
  );
  expect(await followerPage('1', null).catch(twitchFaultOf)).toMatchObject({ code: 'unavailable' });
  expect(asked).toBeGreaterThan(1);
  expect(await counted()).toBe(before + 1);
});

test('The requests of a call to Steam are cut off with it, and those of other calls are not', async () => {
  const { asked, port } = await silentPlatform();
  const { community } = createSteamClients({ proxy: null, pollIntervalMs: -1, log });
  const read = () => getJson(community, `http://127.0.0.1:${port}/`, {});
  const lapse = new AbortController();
  const answers: unknown[] = [];
  const note = (answer: unknown) => void answers.push(answer);
  abortedBy(lapse.signal, read).then(note, note);
  await expect.poll(() => asked.length).toBe(1);
  const other = read();
  await expect.poll(() => asked.length).toBe(2);
  lapse.abort();
  await expect.poll(() => asked[0]?.destroyed).toBe(true);
  asked[1]?.setHeader('content-type', 'application/json').end('{"is":"answered"}');
  expect((await other).body).toEqual({ is: 'answered' });
  expect(answers).toEqual([expect.any(LeaseLapsed)]);
});

test('The deadline of a call to Steam cuts its requests off, and is not taken for the end of the lease', async () => {
  const { asked, port } = await silentPlatform();
  const { community } = createSteamClients({ proxy: null, pollIntervalMs: -1, log });
  const session = { contain: <T>(call: () => T) => call() };
  const read = () => getJson(community, `http://127.0.0.1:${port}/`, {});
  const ended = expect(answerInTime(session, () => HELD_MS, read, second)).rejects.toBeInstanceOf(
    DeadlineError,
  );
  await expect.poll(() => asked.length).toBe(1);
  await ended;
  await expect.poll(() => asked[0]?.destroyed).toBe(true);
});

test('The deadline of a request to Twitch ends it, and is not taken for the end of the lease', async () => {
  const { asked, port } = await silentPlatform();
  process.env.TWURPLE_MOCK_API_PORT = String(port);
  const deadline = new AbortController();
  const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
  onTestFinished(() => void vi.restoreAllMocks());
  const { users } = openTwitchClient(provider, log, 'application', unlimited);
  // Twurple repeats the request, each time with a deadline; here it is the same one, which is over then.
  const reading = users.getUserById('1').catch(twitchFaultOf);
  await expect.poll(() => asked.length).toBe(1);
  expect(timeout).toHaveBeenCalledTimes(1);
  expect(getEventListeners(deadline.signal, 'abort')).toHaveLength(1);
  deadline.abort(late);
  expect(await reading).toMatchObject({ code: 'unavailable', cause: late });
  expect(getEventListeners(deadline.signal, 'abort')).toEqual([]);
});

test('What goes on after a call to Steam is no part of it, and answered requests leave nothing with its signal', async () => {
  const { asked, port } = await silentPlatform();
  const { community } = createSteamClients({ proxy: null, pollIntervalMs: -1, log });
  const read = () => getJson(community, `http://127.0.0.1:${port}/`, {});
  const answer = (at: number) =>
    asked[at]?.setHeader('content-type', 'application/json').end('{"is":"answered"}');
  const lapse = new AbortController();
  const listeners = () => getEventListeners(lapse.signal, 'abort').length;
  const polls: ReturnType<typeof read>[] = [];
  const called: ReturnType<typeof read> = abortedBy(lapse.signal, async () => {
    // As the manager polls after each cancellation, and again after a pause.
    setImmediate(() => void called.then(() => polls.push(read())));
    return read();
  });
  await expect.poll(() => asked.length).toBe(1);
  expect(listeners()).toBe(1);
  answer(0);
  await called;
  await expect.poll(() => asked.length).toBe(2);
  expect(listeners()).toBe(0);
  lapse.abort();
  answer(1);
  expect((await polls[0])?.body).toEqual({ is: 'answered' });
});

test('A request that a call makes after its lease has lapsed fails and does not reach Steam', async () => {
  const { asked, port } = await silentPlatform();
  const { community } = createSteamClients({ proxy: null, pollIntervalMs: -1, log });
  const read = () => getJson(community, `http://127.0.0.1:${port}/`, {});
  const call = abortedBy(AbortSignal.abort(), read);
  await expect(call).rejects.toBeInstanceOf(LeaseLapsed);
  read().catch(() => {});
  await expect.poll(() => asked.length).toBe(1);
});
