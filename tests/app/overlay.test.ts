import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { loggedPath } from '#app/http/logged-path.ts';
import { logger } from '#app/http/logger.server.ts';
import { requestLog } from '#app/middleware/request-log.server.ts';
import { action as dockAction, loader as dockLoader } from '#app/routes/overlay/dock.ts';
import { action as editorAction, loader as editorLoader } from '#app/routes/overlay/editor.tsx';
import { loader as overlayLoader } from '#app/routes/overlay/overlay.ts';
import { loader as eventsLoader } from '#app/routes/overlay/overlay-events.ts';
import { loader as previewLoader } from '#app/routes/overlay/preview.ts';
import { action as replaceAction, loader as replaceLoader } from '#app/routes/overlay/replace-address.tsx';
import { action as resumeAction } from '#app/routes/overlay/resume-overlay.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { newId } from '#domain/kernel/id.ts';
import { firstIdAt, readEvents } from '#domain/outbox/read-events.ts';
import { findOverlayOf, getOverlaySecrets } from '#domain/overlay/overlay.ts';
import { openOverlay } from '#domain/overlay/set-overlay.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { addBot, addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { addRaffle, enter, raffleDraft, raffleOf, readLists, stock } from '#tests/support/raffles.ts';
import { goLive } from '#tests/support/stream.ts';
import { visitorOf } from './support/signed-in.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();

let db: Database;
let streamer: Person;
let secrets: { overlay: string; dock: string };
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  await openOverlay(db, { userId: streamer.userId, locale: 'en' }, Date.now());
  secrets = (await getOverlaySecrets(db.read, streamer.userId)) ?? { overlay: '', dock: '' };
});

const viewer = new Visitor();
const open = (door: 'overlay' | 'dock', secret: string) =>
  viewer.call((door === 'overlay' ? overlayLoader : dockLoader) as never, `/${door}/${secret}`, {
    params: { secret },
  });
const press = (form: Record<string, string>, secret = secrets.dock) =>
  viewer.call(dockAction as never, `/dock/${secret}`, { form, params: { secret } });
const stoppedAtMs = async () => (await findOverlayOf(db.read, streamer.userId))?.stoppedAtMs ?? null;
const tests = () =>
  readEvents(db, { afterId: firstIdAt(0), userId: streamer.userId, kind: 'overlay.tested' });

test('Each secret opens its own door, and anything else answers 404 with an empty page', async () => {
  expect((await open('overlay', secrets.overlay)).status).toBe(200);
  expect((await open('dock', secrets.dock)).status).toBe(200);
  for (const [door, secret] of [
    ['overlay', secrets.dock],
    ['dock', secrets.overlay],
    ['overlay', 'x'],
    ['dock', "a'\0<b>"],
  ] as const) {
    const answer = await open(door, secret);
    expect([door, answer.status]).toEqual([door, 404]);
    expect(answer.text).toContain('<body></body>');
  }
});

test('The pages keep their secret: no referrer, no script of theirs, and nothing that others may keep', async () => {
  const { headers, text } = await open('overlay', secrets.overlay);
  expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(text).not.toContain(secrets.overlay);
  const dock = await open('dock', secrets.dock);
  expect(dock.headers.get('Referrer-Policy')).toBe('strict-origin');
  expect(dock.text).not.toContain(secrets.dock);
});

test('No line of the log has the secret of an address', async () => {
  const lines: unknown[] = [];
  const spy = vi.spyOn(logger(), 'info').mockImplementation((...line: unknown[]) => void lines.push(line));
  const { RouterContextProvider } = await import('react-router');
  const shortened = secrets.overlay.slice(0, 42);
  for (const path of [`/overlay/${shortened}`, `/overlay/${secrets.overlay}`, `/Dock/${secrets.dock}.data`]) {
    const args = { request: new Request(`http://localhost${path}`), context: new RouterContextProvider() };
    await requestLog({ ...args, params: {} } as never, async () => new Response(null));
  }
  spy.mockRestore();
  expect(lines).toHaveLength(3);
  for (const secret of [shortened, secrets.dock]) expect(JSON.stringify(lines)).not.toContain(secret);
  expect(loggedPath('/overlay/events')).toBe('/overlay/events');
});

test('A dock stops the overlay at a press and asks before it resumes', async () => {
  expect(await press({ act: 'stop' })).toMatchObject({ status: 303, location: `/dock/${secrets.dock}` });
  expect(await stoppedAtMs()).not.toBeNull();
  const asked = await press({ act: 'resume' });
  expect(asked.text).toContain('The overlay will be on stream again.');
  expect(await stoppedAtMs()).not.toBeNull();
  await press({ act: 'resume', sure: 'on' });
  expect(await stoppedAtMs()).toBeNull();
});

test('Acts of a dock need its secret and must be known', async () => {
  expect((await press({ act: 'stop' }, secrets.overlay)).status).toBe(404);
  expect((await press({ act: 'replace' })).status).toBe(400);
  expect((await press({ act: 'test', requestId: 'x' })).status).toBe(400);
  expect(await stoppedAtMs()).toBeNull();
});

test('A test goes to a live channel only after the question', async () => {
  await goLive(db, streamer.twitchId, Date.now());
  const requestId = newId(Date.now());
  const asked = await press({ act: 'test', requestId });
  expect(asked.text).toContain('Your viewers would see the test.');
  expect(await tests()).toEqual([]);
  await press({ act: 'test', requestId, live: 'on' });
  await press({ act: 'test', requestId, live: 'on' });
  expect(await tests()).toHaveLength(1);
});

test('The last wins name who lets others see it, and what others wrote stays text', async () => {
  const [winner, hidden] = [await addPerson(db), await addPerson(db)];
  await setPreferences(db, { userId: hidden.userId, preferences: { hidesName: true } });
  await promiseTo(db, streamer, [winner, hidden], { nowMs: Date.now() });
  await db.transaction((tx) =>
    tx
      .update(twitchAccounts)
      .set({ displayName: '<img \u202esrc=x>\u200b' })
      .where(eq(twitchAccounts.twitchId, winner.twitchId)),
  );
  const { text } = await open('dock', secrets.dock);
  expect(text).toMatch(/<b dir="auto">&lt;img src=x&gt;<\/b><br><span[^>]*>Demo case/);
  expect(text).toMatch(/<b dir="auto">A viewer<\/b><br><span[^>]*>Demo case/);
  expect(text).not.toContain('Demo_Person');
});

test('The editor shows an address only when it is asked for, and replaces it once, after a page that asks', async () => {
  const owner = await visitorOf(streamer.userId);
  const look = async (search = '') =>
    (await owner.call(editorLoader as never, `/channel/overlay${search}`)).body;
  const plain = await look();
  expect(JSON.stringify(plain)).not.toContain(secrets.overlay);
  expect((await look('?show=overlay')).overlay.shown.address).toContain(`/overlay/${secrets.overlay}`);
  const page = '/channel/overlay/replace';
  const { body: form } = await owner.call(replaceLoader as never, `${page}?door=overlay`);
  expect(form).toEqual({ door: 'overlay', replaces: plain.overlay.hashes.overlay });
  expect((await open('overlay', secrets.overlay)).status).toBe(200);
  const replace = (sent: Record<string, string>) => owner.call(replaceAction as never, page, { form: sent });
  expect(await replace(form)).toMatchObject({ location: '/channel/overlay', toast: 'overlay.replaced' });
  const replaced = (await getOverlaySecrets(db.read, streamer.userId))?.overlay ?? '';
  await replace(form);
  expect((await open('overlay', secrets.overlay)).status).toBe(404);
  expect((await open('overlay', replaced)).status).toBe(200);
  expect((await replace({ ...form, door: 'door' })).status).toBe(400);
});

test('The editor stops the overlay, and only the page that asks resumes it', async () => {
  const owner = await visitorOf(streamer.userId);
  const send = (sent: Record<string, string>) =>
    owner.call(editorAction as never, '/channel/overlay', { form: sent });
  await send({ act: 'stop' });
  expect(await stoppedAtMs()).not.toBeNull();
  for (const act of ['resume', 'replace']) expect((await send({ act })).status).toBe(400);
  expect((await send({ act: 'save', reward: 'nowhere' })).status).toBe(400);
  expect(await stoppedAtMs()).not.toBeNull();
  const resumed = await owner.call(resumeAction as never, '/channel/overlay/resume', { form: {} });
  expect(resumed).toMatchObject({ location: '/channel/overlay', toast: 'overlay.resumeDone' });
  expect(await stoppedAtMs()).toBeNull();
});

describe('The raffle in a dock', () => {
  const prepared = async (nowMs = Date.now()) => {
    await stock(db, streamer, 2, nowMs);
    const draft = raffleDraft({ winners: 2 });
    const outcome = await prepareRaffle(
      db,
      { requestId: newId(nowMs), userId: streamer.userId, draft },
      nowMs,
    );
    await readLists(db, streamer, nowMs);
    return outcome.ok ? outcome.raffleId : '';
  };
  const stateOf = async (raffleId: string) => (await raffleOf(db, raffleId)).state;

  test('is started and ended by a press each', async () => {
    expect((await open('dock', secrets.dock)).text).toContain('No raffle is prepared.');
    const raffleId = await prepared();
    const { text } = await open('dock', secrets.dock);
    expect(text).toContain('2 winners · 5 min');
    expect(text).toContain('Start the raffle');
    expect(text).not.toContain('End entries and draw');
    const started = await press({ act: 'start', raffleId });
    expect(started).toMatchObject({ status: 303, location: `/dock/${secrets.dock}` });
    expect(await stateOf(raffleId)).toBe('running');
    const changes = (await db.read.select().from(mails)).map(({ values }) => values.change);
    expect(changes).toContain('dockGives');
    const viewers = [await addPerson(db), await addPerson(db), await addPerson(db)];
    const ids = viewers.map(({ twitchId }) => twitchId);
    await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds: ids, nowMs: Date.now() });
    const running = (await open('dock', secrets.dock)).text;
    expect(running).toContain('3 entries');
    expect(running).toContain('Entries end in 5 min.');
    await press({ act: 'draw', raffleId });
    const { endsAtMs, plannedEndMs } = await raffleOf(db, raffleId);
    expect(endsAtMs).toBeLessThan(plannedEndMs ?? 0);
  });

  test('is cancelled only after the question', async () => {
    const raffleId = await prepared();
    const asked = await press({ act: 'cancel', raffleId });
    expect(asked.text).toContain('Nobody wins, and the items are yours again.');
    expect(await stateOf(raffleId)).toBe('prepared');
    await press({ act: 'cancel', raffleId, sure: 'on' });
    expect(await stateOf(raffleId)).toBe('cancelled');
  });

  test('is said to be over when an old page asks, and nobody else’s is moved', async () => {
    const raffleId = await prepared();
    const other = await addStreamer(db);
    const theirs = await addRaffle(db, other, {}, Date.now());
    const late = 'That is not possible any more.';
    expect((await press({ act: 'draw', raffleId })).text).toContain(late);
    expect(await stateOf(raffleId)).toBe('prepared');
    await press({ act: 'start', raffleId });
    const before = [await raffleOf(db, raffleId), await raffleOf(db, theirs)];
    for (const id of [theirs, newId(Date.now()), ''])
      expect((await press({ act: 'draw', raffleId: id })).text).toContain(late);
    expect([await raffleOf(db, raffleId), await raffleOf(db, theirs)]).toEqual(before);
  });
});

test('The presses of a dock are counted by its account, wherever they come from', async () => {
  const elsewhere = await addStreamer(db);
  await openOverlay(db, { userId: elsewhere.userId, locale: 'en' }, Date.now());
  const theirs = (await getOverlaySecrets(db.read, elsewhere.userId))?.dock ?? '';
  for (let number = 0; number < 120; number++) await press({ act: 'stop' });
  const refused = await new Visitor('203.0.113.9').call(dockAction as never, `/dock/${secrets.dock}`, {
    form: { act: 'stop' },
    params: { secret: secrets.dock },
  });
  expect(refused.status).toBe(429);
  expect((await press({ act: 'stop' }, theirs)).status).toBe(303);
});

test('A preview has made-up viewers and needs no secret', async () => {
  const owner = await visitorOf(streamer.userId);
  const query =
    'reward=top&winner=off&raffle=bottom&pool=left&goal=off&next=right&rule=&locale=ru&ground=dark';
  const { status, text, headers } = await owner.call(
    previewLoader as never,
    `/channel/overlay/preview?${query}`,
  );
  expect(status).toBe(200);
  expect(text).toContain('Придуманный_01');
  expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'self'");
  expect((await owner.call(previewLoader as never, '/channel/overlay/preview')).status).toBe(404);
});

test('A stream needs keys that can be keys, one of which is valid', async () => {
  const ask = async (keys: string | null) =>
    (
      await viewer.call(
        eventsLoader as never,
        '/overlay/events',
        keys ? { headers: { 'Overlay-Keys': keys } } : {},
      )
    ).status;
  const unknown = 'A'.repeat(43);
  expect(await ask(null)).toBe(400);
  expect(await ask(`door:${unknown}`)).toBe(400);
  expect(await ask(Array.from({ length: 11 }, () => `overlay:${unknown}`).join(','))).toBe(400);
  expect(await ask(`overlay:${unknown}`)).toBe(404);
  const gone = await viewer.call(eventsLoader as never, '/overlay/events', {
    headers: { 'Overlay-Keys': `overlay:${unknown}` },
  });
  expect(gone.headers.get('Overlay-Gone')).toBe('1');
});
