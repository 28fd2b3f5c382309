import { eq } from 'drizzle-orm';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { action as correct, loader as correctLoader } from '#app/routes/rules/correct-rule.tsx';
import { loader, action as pause } from '#app/routes/rules/pause-rule.tsx';
import { action as resume } from '#app/routes/rules/resume-rule.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { addBot, addPerson, addRule, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import { Reader, readerLike } from '../support/site.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let db: Database;
let streamer: Person;
let visitor: Visitor;
let ruleId: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
  ruleId = await addRule(db, streamer, {
    name: 'Ten hours',
    watchMinutes: 600,
    rewards: 2,
    nowMs: Date.now(),
  });
});

const page = () => `/rules/${ruleId}`;
const rule = () => getRule(db, { ruleId, ownerId: streamer.userId });
const send = (act: Parameters<Visitor['call']>[0], form: Record<string, string> = {}, who = visitor) =>
  who.call(act, page(), { params: { id: ruleId }, form });
const resumesIn = async () => Math.round((((await rule())?.resumesAtMs ?? 0) - Date.now()) / minute);

test('A streamer pauses a rule for 30 minutes unless they say otherwise, and resumes it', async () => {
  expect(await send(pause, {})).toMatchObject({ location: page(), toast: 'pause.done' });
  expect([(await rule())?.pauseReason, await resumesIn()]).toEqual(['owner', 30]);
  await send(pause, { how: 'long' });
  expect(await rule()).toMatchObject({ state: 'paused', resumesAtMs: null });
  expect(await send(resume)).toMatchObject({ location: page(), toast: 'pause.resumed' });
  expect(await rule()).toMatchObject({ state: 'open', pausedAtMs: null });
});

test('Only its owner finds the page, and a deleted rule has none', async () => {
  const stranger = await visitorOf((await addStreamer(db)).userId);
  const open = (who: Visitor) => who.call(loader, page(), { params: { id: ruleId } });
  expect((await open(stranger)).status).toBe(404);
  expect((await send(pause, {}, stranger)).status).toBe(404);
  expect((await send(resume, {}, stranger)).status).toBe(404);
  await closeRule(db, { ruleId, userId: streamer.userId }, Date.now());
  expect((await open(visitor)).location).toBe(page());
  expect((await send(pause)).toast).toBe('errors.rule.deleted');
  expect((await send(resume)).toast).toBe('errors.rule.deleted');
});

test.each([
  ['en', 'Paused by you', /It resumes by itself at \d\d:\d\d/, 'Resume'],
  ['ru', 'Приостановлено вами', /Оно возобновится само в \d\d:\d\d/, 'Возобновить'],
] as const)(
  'The page of a paused rule says until when, and resumes it without a script, in %s',
  async (language, badge, until, act) => {
    await send(pause, { how: 'short' });
    const { html } = await readerLike(visitor, language).open(page());
    expect(html).toContain(badge);
    expect(html).toMatch(until);
    expect(html).toMatch(new RegExp(`<form[^>]*action="${page()}/resume"[^>]*>.*?${act}</button>`));
    expect(html).not.toContain(`${page()}/pause`);
  },
);

test('The public pages keep a rule that its owner paused, and say until when', async () => {
  await send(pause);
  const [{ login } = { login: '' }] = await db.read
    .select({ login: channels.login })
    .from(channels)
    .where(eq(channels.id, streamer.twitchId));
  const open = async (path: string) => (await new Reader('en').open(`/channels/${login}${path}`)).html;
  const said = /It promises nothing until \d\d:\d\d/;
  expect(await open('')).toMatch(said);
  expect(await open(`/${ruleId}`)).toMatch(said);
  await send(resume);
  expect(await open(`/${ruleId}`)).not.toContain('It promises nothing');
  // For another reason the link leads to the channel, as before.
  await db.transaction((tx) =>
    pauseRulesOf(tx, { ownerId: streamer.userId, reason: 'overLimit' }, Date.now()),
  );
  expect(await open(`/${ruleId}`)).not.toContain('Ten hours');
});

test('A correction can pause the rule first: nobody is promised anything before the pause ends', async () => {
  const viewer = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 480 * 60]]);
  const { start } = (await visitor.call(correctLoader, page(), { params: { id: ruleId } })).body;
  const form = { ...start, requestId: newId(Date.now()), watchAmount: '8', pause: 'on' };
  const asked = await send(correct, form);
  expect((await rule())?.state).toBe('open');
  const { fields } = asked.body.review;
  expect(await send(correct, fields)).toMatchObject({ toast: 'correct.done' });
  expect(await rule()).toMatchObject({ state: 'paused', watchMinutes: 480, pool: { free: 2, promised: 0 } });
  await send(resume);
  // A repeated confirmation pauses nothing again.
  expect(await send(correct, fields)).toMatchObject({ toast: 'correct.already' });
  expect(await rule()).toMatchObject({ state: 'open', pool: { free: 1, promised: 1 } });
  expect(await rule()).toMatchObject({ pausedAtMs: null, resumesAtMs: null });
});
