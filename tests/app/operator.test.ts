import { readdirSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { config } from '#app/config.server.ts';
import { operatorOnly } from '#app/middleware/guards.server.ts';
import { action as verifyAction } from '#app/routes/email/verify.tsx';
import { loader as pageLoader } from '#app/routes/operator/operator.tsx';
import { action as resumeAction, loader as resumeLoader } from '#app/routes/operator/resume.tsx';
import { action as stopAction, loader as stopLoader } from '#app/routes/operator/stop.tsx';
import { database } from '#app/services/database.server.ts';
import { migrationsFolder } from '#db/migrate.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { leases } from '#db/schema/lease.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { recordLongRound } from '#domain/bot/record-long-round.ts';
import { recordSelfTest } from '#domain/bot/record-self-test.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { recordOddAnswers } from '#domain/odd-answer/record-odd-answers.ts';
import { AUDIT } from '#domain/operator/find-last-audit.ts';
import { withdrawProcess } from '#domain/process/announce-process.ts';
import { recordBotAway } from '#platform/bot-away.ts';
import { addBot, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { announceBotNamed, endLeases, holderNamed, occupyLeases } from '#tests/support/leases.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { confirmedAgo } from './support/confirmed-ago.ts';
import { startFakeBot } from './support/fake-bot.ts';
import { mailedTokens, member, newcomer, signUpForm } from './support/member.ts';
import { readerLike, wordsOf } from './support/site.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

const address = 'operator@example.org';
const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url, OPERATOR_ACCOUNT: 'Operator@Example.org' });
afterAll(() => bot.stop());

/** A bot process's report about itself without any fault. */
const quiet = {
  startedAtMs: 5,
  parts: {},
  backups: { backup: { atMs: Date.now(), backup: 'x', problem: null }, drill: null },
  faults: [],
};
const guard = operatorOnly;
const form = signUpForm({ email: address });
const operator = await newcomer(form);
const page = (visitor: Visitor) => visitor.call(pageLoader, '/operator', { guard });
const stop = (visitor: Visitor) => visitor.call(stopAction, '/operator/stop', { form: {}, guard });
const resume = (visitor: Visitor) => visitor.call(resumeAction, '/operator/resume', { form: {}, guard });
const isStopped = async () => (await findSendingStop((await database()).read)) !== null;
const through = (then: string) => `/profile/confirm?${new URLSearchParams({ to: then })}`;

// The right address proves nothing until it is verified.
const endsUnverified = [(await page(operator.visitor)).status, (await stop(operator.visitor)).status];
const [token = ''] = await mailedTokens(address);
await operator.visitor.call(verifyAction, '/email/verify', { form: { token } });

test('Nobody but the operator can tell that there is such a page, nor stop anything', async () => {
  const others = [new Visitor(), (await newcomer()).visitor, (await member()).visitor];
  expect(endsUnverified).toEqual([404, 404]);
  for (const visitor of others) {
    expect((await page(visitor)).status).toBe(404);
    expect((await visitor.call(pageLoader, '/operator')).status).toBe(404);
    for (const [handler, path, form] of [
      [stopLoader, '/operator/stop', undefined],
      [resumeLoader, '/operator/resume', undefined],
      [stopAction, '/operator/stop', {}],
      [resumeAction, '/operator/resume', {}],
    ] as const)
      expect((await visitor.call(handler, path, form ? { form } : {})).status).toBe(404);
  }
  expect(await isStopped()).toBe(false);
});

test('The operator sees what is stored, and that the bot does not answer', async () => {
  await addBot(await database(), 'demo-bot');
  bot.state = null;
  const { status, body } = await page(operator.visitor);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    stop: null,
    needs: ['botProcess'],
    bots: [{ id: 'demo-bot', state: 'ready', silent: false, unknown: true }],
    botProcess: null,
    backups: null,
    database: 'SQLite',
  });
});

test('No bot counts as working while its process does not answer', async () => {
  const wordsAt = async (language: 'en' | 'ru') =>
    wordsOf((await readerLike(operator.visitor, language).open('/operator')).html).replace(/\s+/g, ' ');
  bot.state = null;
  const unknown = await wordsAt('en');
  expect(unknown).toMatch(/Bots Unknown while the bot process does not answer\. .*demo-bot.* Unknown/);
  expect(unknown).not.toContain('of 1 working');
  expect(await wordsAt('ru')).toMatch(
    /Боты Неизвестно, пока процесс бота не отвечает\. .*demo-bot.* Неизвестно/,
  );
  bot.state = { ...quiet, parts: { 'steam: demo-bot': { state: 'ready' } } };
  expect(await wordsAt('en')).toMatch(/1 of 1 working .*demo-bot.* Working/);
});

test('The operator reads why a supervised bot keeps failing, until it answers', async () => {
  const away = { failures: 7, endedAtMs: 1, nextStartAtMs: Date.now(), reason: 'bot ended (exit code 1)' };
  recordBotAway(config().dataFolder, away);
  onTestFinished(() => recordBotAway(config().dataFolder, null));
  bot.state = null;
  expect((await page(operator.visitor)).body.botAway).toEqual(away);
  bot.state = quiet;
  expect((await page(operator.visitor)).body.botAway).toBeNull();
});

test('A backup from a time ahead of the clock counts as none', async () => {
  const atMs = Date.now() + 2 * 86_400_000;
  bot.state = { ...quiet, backups: { ...quiet.backups, backup: { atMs, backup: 'x', problem: null } } };
  expect((await page(operator.visitor)).body).toMatchObject({ needs: expect.arrayContaining(['backup']) });
});

test('The page reads itself again only if it was asked to', async () => {
  const refreshOf = async (path: string) =>
    (await operator.visitor.call(pageLoader, path, { guard })).headers.get('Refresh');
  expect(await refreshOf('/operator')).toBeNull();
  expect(await refreshOf('/operator?live')).toBe('20');
});

test('What the bot says of itself is shown, and what it lacks is named', async () => {
  const fault = {
    message: 'a mail failed; retrying',
    where: 'bot · mails',
    detail: null,
    count: 3,
    lastAtMs: 9,
  };
  bot.state = {
    ...quiet,
    parts: { steam: { state: 'ready' }, chat: { state: 'faulty', detail: 'no token' } },
    faults: [fault],
  };
  const { body } = await page(operator.visitor);
  expect(body.needs).toEqual(['botParts', 'drill']);
  expect(body.botProcess).toEqual({ startedAtMs: 5, faultyParts: [{ name: 'chat', detail: 'no token' }] });
  expect(body.faults).toContainEqual(fault);
});

test('A bot that was renamed is neither missed nor listed, unless items are still with it', async () => {
  const { visitor } = operator;
  const store = await database();
  await addBot(store, 'renamed-bot');
  const set = (change: Partial<typeof bots.$inferInsert>) =>
    store.transaction((tx) => tx.update(bots).set(change).where(eq(bots.id, 'renamed-bot')));
  await set({ state: 'broken', heartbeatAtMs: 1 });
  bot.state = { ...quiet, parts: { steam: { state: 'ready' }, 'steam: demo-bot': { state: 'ready' } } };
  const { body } = await page(visitor);
  expect(body.needs).toEqual(['drill']);
  expect(body.bots.map(({ id }: { id: string }) => id)).toEqual(['demo-bot']);
  await occupyLeases(store, ['steam']);
  await set({ leaseEpoch: 1 });
  expect((await page(visitor)).body.needs).toContain('bots');
  await set({ state: 'ready', heartbeatAtMs: Date.now() + hour });
  await endLeases(store, ['steam']);
  bot.state = null;
  expect((await page(visitor)).body.bots).toHaveLength(2);
});

test('The operator sees who does what, in which epoch, and who would take over when, in both languages', async () => {
  const store = await database();
  const wordsAt = async (language: 'en' | 'ru') =>
    wordsOf((await readerLike(operator.visitor, language).open('/operator')).html).replace(/\s+/g, ' ');
  bot.state = quiet;
  await store.transaction((tx) => tx.delete(leases).returning());
  expect(await wordsAt('en')).toContain('Who does what No bot has run yet Once a bot process runs');
  expect(await wordsAt('ru')).toContain('Кто что делает Бот ещё не запускался');
  for (const name of ['one', 'two']) await announceBotNamed(store, name);
  await takeLeases(store, holderNamed('one'), ['steam', 'mails']);
  await endLeases(store, ['mails']);
  await takeLeases(store, holderNamed('two'), ['twitch:1', 'twitch:2', 'twitch:7']);
  const { body } = await page(operator.visitor);
  expect(body.work).toMatchObject([
    { kind: 'steam', holder: 'one', highestEpoch: 1, heirs: ['http://two:3001'] },
    { kind: 'slots', places: '1–2, 7', leases: 3, holder: 'two', heirs: ['http://one:3001'] },
    { kind: 'mails', holder: null, leftMs: 0 },
  ]);
  const english = await wordsAt('en');
  expect(english).toMatch(
    /Offers on Steam http:\/\/one:3001 one · 1\.2\.3 1 .+ Taken over within 1[0-3] s by: http:\/\/two:3001/,
  );
  expect(english).toContain('Watch time Slots 1–2, 7 http://two:3001');
  expect(english).toMatch(/Mail Nobody 1 – Waits for: http:\/\/one:3001, http:\/\/two:3001/);
  expect(await wordsAt('ru')).toMatch(
    /Время просмотра Слоты 1–2, 7 .+ Перейдёт не позже чем через 1[0-3] с: http:\/\/one:3001/,
  );
  for (const name of ['one', 'two']) await withdrawProcess(store, name);
  expect(await wordsAt('en')).toMatch(/Taken over within 1[0-3] s by: the next process that starts/);
});

test('What custody needs is told by bot and concern, with the names of the items', async () => {
  const store = await database();
  const streamer = await addStreamer(store);
  await deposit(store, streamer, [asset('Demo rifle'), asset('Demo knife')], Date.now());
  const set = (state: 'held' | 'missing') => store.transaction((tx) => tx.update(items).set({ state }));
  await set('missing');
  onTestFinished(async () => void (await set('held')));
  bot.state = quiet;
  const { body } = await page(operator.visitor);
  expect(body.needs).toContain('custody');
  expect(body.custody).toMatchObject([{ concern: 'missingItems', count: 2 }]);
  expect(body.custody[0].names.sort()).toEqual(['Demo knife', 'Demo rifle']);
});

test('Backups are shown with size and number, and the database with its schema and last audit', async () => {
  const store = await database();
  const saved = { count: 7, bytes: 212_000_000 };
  bot.state = { ...quiet, backups: { ...quiet.backups, saved } };
  await recordLongRound(store, AUDIT, 5);
  const { body } = await page(operator.visitor);
  expect(body.backups).toMatchObject({ saved });
  expect(body.schema).toBe(
    readdirSync(migrationsFolder.sqlite).filter((name) => name.endsWith('.sql')).length,
  );
  expect(body.ledger).toMatchObject({ audit: { atMs: 5, drifts: 0 } });
});

test('Stopping and resuming ask who it is, change it once, and say who did it', async () => {
  const { visitor } = operator;
  await confirmedAgo(visitor, 11 * minute);
  expect((await stop(visitor)).location).toBe(through('/operator/stop'));
  expect((await visitor.call(stopLoader, '/operator/stop', { guard })).location).toBe(
    through('/operator/stop'),
  );
  expect(await isStopped()).toBe(false);
  await confirmedAgo(visitor, minute);
  expect((await visitor.call(resumeLoader, '/operator/resume', { guard })).location).toBe('/operator');
  expect((await visitor.call(stopLoader, '/operator/stop', { guard })).status).toBe(200);
  expect(await stop(visitor)).toMatchObject({ location: '/operator', toast: 'operator.stop.done' });
  expect(await stop(visitor)).toMatchObject({ location: '/operator' });
  expect((await page(visitor)).body).toMatchObject({ stop: { by: 'you' } });
  expect((await page(visitor)).body.needs[0]).toBe('sendingStopped');
  await confirmedAgo(visitor, 11 * minute);
  expect((await resume(visitor)).location).toBe(through('/operator/resume'));
  expect(await isStopped()).toBe(true);
  await confirmedAgo(visitor, minute);
  expect(await resume(visitor)).toMatchObject({ location: '/operator', toast: 'operator.resume.done' });
  expect(await isStopped()).toBe(false);
});

test('While sending is stopped, only transfers may wait: settlements on Twitch go on', async () => {
  const store = await database();
  expect(await isStopped()).toBe(false);
  await stopSending(store, { operatorId: 'command line' }, { nowMs: Date.now(), systemMs: Date.now() });
  onTestFinished(async () => {
    await resumeSending(store, { operatorId: 'x' }, { nowMs: Date.now(), systemMs: Date.now() });
  });
  bot.state = quiet;
  const ruleId = await addPointsRule(store, await addStreamer(store), { rewards: 0 });
  const { reported } = await redeem(store, ruleId, { twitchId: '999000' });
  expect((await page(operator.visitor)).body.needs).toEqual(['sendingStopped', 'drill']);
  const retryAtMs = Date.now() + minute;
  await store.transaction((tx) =>
    tx.update(redemptions).set({ attempts: 9, runAtMs: retryAtMs }).where(eq(redemptions.id, reported.id)),
  );
  const { body } = await page(operator.visitor);
  expect(body.needs).toEqual(['sendingStopped', 'queues', 'drill']);
  expect(body.queues.find(({ name }: { name: string }) => name === 'settlements')).toMatchObject({
    ...{ waiting: 1, slow: true, retryAtMs, problem: null },
  });
});

test('A stop that began at the command line is not called the operator’s', async () => {
  const times = { nowMs: Date.now(), systemMs: Date.now() };
  await stopSending(await database(), { operatorId: 'command line' }, times);
  expect((await page(operator.visitor)).body.stop).toMatchObject({ by: 'other' });
});

test('The operator reads how a platform answered in a way that is not known', async () => {
  const odd = {
    platform: 'twitch',
    place: 'GET streams',
    path: 'data[].type',
    difference: 'value',
    found: 'rerun',
    reaction: 'ignored',
    example: null,
    count: 3,
  } as const;
  await recordOddAnswers(await database(), [odd], Date.now());
  expect((await page(operator.visitor)).body).toMatchObject({ oddAnswers: [odd] });
});

test('The operator reads which endpoint of Steam differs from the others, until it agrees again', async () => {
  const db = await database();
  const botId = await addBot(db);
  const tested = { endpoint: 'list', appId: 730, offers: 'open', offerId: '77' } as const;
  const record = (difference: 'absent' | null) =>
    recordSelfTest(db, { botId, tests: [{ ...tested, difference }] }, Date.now());
  await record('absent');
  const differing = await page(operator.visitor);
  expect(differing.body.selfTests).toMatchObject([{ ...tested, botId, difference: 'absent' }]);
  expect(differing.body.needs).toContain('selfTests');
  await record(null);
  expect((await page(operator.visitor)).body.needs).not.toContain('selfTests');
});
