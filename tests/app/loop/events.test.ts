import { RouterContextProvider } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accountContext } from '#app/middleware/session.server.ts';
import { loader } from '#app/routes/events.ts';
import { database } from '#app/services/database.server.ts';
import { saveSession } from '#app/services/sign-in/session.server.ts';
import type { Database } from '#db/database.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { endSession } from '#domain/identity/session/end-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let person: Person;
let token: string;
const ends: (() => void)[] = [];
beforeEach(async () => {
  db = await database();
  person = await addPerson(db);
  ({ token } = await openSession(db, { userId: person.userId, userAgent: 'test' }, Date.now()));
});
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
});

const report = (userId: string, subjectId: string) =>
  db.transaction((tx) => announce(tx, [{ userId, kind: 'transfer.changed', subjectId }], Date.now()));

/** Opens a user's stream and collects its events. */
async function listen(more: Record<string, string> = {}, { method = 'GET', path = '/events' } = {}) {
  const leaving = new AbortController();
  ends.push(() => leaving.abort());
  const context = new RouterContextProvider();
  context.set(accountContext, await getAccount(db, { userId: person.userId }));
  const [cookie = ''] = (await saveSession(token)).split(';');
  const headers = { Cookie: cookie, ...more };
  const request = new Request(`http://localhost:3000${path}`, { method, headers, signal: leaving.signal });
  const response = (await loader({ request, context, params: {} } as never)) as Response;
  const said: { id: string; subjectId: string }[] = [];
  const passing: unknown[] = [];
  let ended = false;
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      for (const frame of decoder.decode(chunk).split('\n\n')) {
        const [, id, data] = /^(?:id: (.*)\n)?data: (.*)$/m.exec(frame) ?? [];
        if (id && data) said.push({ id, ...(JSON.parse(data) as { subjectId: string }) });
        else if (data) passing.push(JSON.parse(data));
      }
    ended = true;
  })().catch(() => {});
  return {
    response,
    said,
    passing,
    subjects: () => said.map(({ subjectId }) => subjectId),
    ended: () => ended,
    leave: () => leaving.abort(),
  };
}

/** The reader starts with its first listener and does not report earlier events. */
async function begun(stream: Awaited<ReturnType<typeof listen>>, userId: string): Promise<void> {
  await expect
    .poll(async () => {
      await report(userId, 'ready');
      return stream.subjects().includes('ready');
    })
    .toBe(true);
}

test('A page receives its own user’s events only', async () => {
  const stream = await listen();
  expect(stream.response.headers.get('Content-Type')).toContain('text/event-stream');
  await begun(stream, person.userId);
  const other = await addPerson(db);
  await report(other.userId, 'not yours');
  await report(person.userId, 'yours');
  await expect.poll(stream.subjects).toContain('yours');
  expect(stream.subjects()).not.toContain('not yours');
  expect(new Set(stream.said.map(({ id }) => id)).size).toBe(stream.said.length);
});

test('An event committed late, with an earlier id, is sent too, and once', async () => {
  const stream = await listen();
  await begun(stream, person.userId);
  const late = newId(Date.now() - 1000);
  const { events } = await import('#db/schema/outbox.ts');
  await db.transaction(async (tx) => {
    const event = { userId: person.userId, kind: 'rule.changed', subjectId: 'late', atMs: Date.now() - 1000 };
    await tx.insert(events).values({ id: late, ...event });
  });
  await report(person.userId, 'after');
  await expect.poll(stream.subjects).toContain('after');
  expect(stream.subjects().filter((subject) => subject === 'late')).toEqual(['late']);
});

test('A page gets the events that came between its data and its stream', async () => {
  const other = await listen();
  await begun(other, person.userId);
  await report(person.userId, 'between');
  await expect.poll(other.subjects).toContain('between');
  const stream = await listen();
  await expect.poll(stream.subjects).toContain('between');
  await report(person.userId, 'after');
  await expect.poll(stream.subjects).toContain('after');
  expect(stream.subjects().filter((subject) => subject !== 'ready')).toEqual(['between', 'after']);
});

test('A page does not get the events that its data shows for certain', async () => {
  const { events } = await import('#db/schema/outbox.ts');
  const atMs = Date.now() - 60_000;
  const old = { id: newId(atMs), userId: person.userId, kind: 'rule.changed', subjectId: 'old', atMs };
  await db.transaction((tx) => tx.insert(events).values(old));
  const stream = await listen();
  await begun(stream, person.userId);
  expect(stream.subjects()).not.toContain('old');
});

test('A browser that reconnects gets the events since the last one it received', async () => {
  const first = await listen();
  await begun(first, person.userId);
  await report(person.userId, 'seen');
  await expect.poll(first.subjects).toContain('seen');
  first.leave();
  await report(person.userId, 'missed');
  const again = await listen({ 'Last-Event-ID': first.said.at(-1)?.id ?? '' });
  await expect.poll(again.subjects).toContain('missed');
  expect(again.subjects()).not.toContain('seen');
});

test('A visitor, or a user with too many open pages, is refused a stream', async () => {
  await expect(listen({}, { method: 'HEAD' })).rejects.toMatchObject({ init: { status: 405 } });
  await expect(listen({}, { path: '/events.data' })).rejects.toMatchObject({ init: { status: 404 } });
  const first = await listen();
  for (let open = 1; open < 10; open++) await listen();
  await expect(listen()).rejects.toMatchObject({
    init: { status: 429, headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } },
  });
  first.leave();
  expect((await listen()).response.status).toBe(200);
});

test('A stream lasts as long as its session', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const stream = await listen();
  await begun(stream, person.userId);
  await vi.advanceTimersByTimeAsync(60_000);
  await report(person.userId, 'still');
  await expect.poll(stream.subjects).toContain('still');
  await endSession(db, { token });
  await vi.advanceTimersByTimeAsync(15_000);
  await expect.poll(stream.ended).toBe(true);
});

test('A page that shows a live channel is told the time of its viewer when it was counted there', async () => {
  const channelId = (await addStreamer(db)).twitchId;
  let nowMs = Date.now();
  const count = () => {
    nowMs += minute;
    return readChatters(db, channelId, [person.twitchId], nowMs);
  };
  await goLive(db, channelId, nowMs);
  await count();
  const [shows, other] = [await listen({}, { path: `/events?channel=${channelId}` }), await listen()];
  await expect
    .poll(
      async () => {
        await count();
        return shows.passing.at(-1);
      },
      { timeout: 15_000, interval: 500 },
    )
    .toMatchObject({
      kind: 'watch.counted',
      subjectId: channelId,
      seconds: expect.any(Number),
      attended: false,
    });
  expect(other.passing).toEqual([]);
});

test('A forged last event id is refused', async () => {
  await expect(listen({ 'Last-Event-ID': "' or 1=1" })).rejects.toMatchObject({ init: { status: 400 } });
});
