import { eq } from 'drizzle-orm';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { loader as publicLoader } from '#app/routes/channels/rule-page.tsx';
import { loader as proofLoader } from '#app/routes/proof/rule-proof.tsx';
import { action, loader } from '#app/routes/rules/correct-rule.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listCorrections } from '#domain/rule/list-corrections.ts';
import { getRule } from '#domain/rule/list-rules.ts';
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
    ...{ name: 'Winter marathon', watchMinutes: 600, claimTimeoutHours: 72, rewards: 3, nowMs: Date.now() },
  });
});

const page = () => `/rules/${ruleId}/correct`;
const send = (form: Record<string, string>, more = {}) =>
  visitor.call(action, page(), { form, params: { id: ruleId }, ...more });
const read = () => visitor.call(loader, page(), { params: { id: ruleId } });
const rule = () => getRule(db, { ruleId, ownerId: streamer.userId });
let lastViewer = '';
const watched = async (minutes: number) => {
  const viewer = await addPerson(db);
  lastViewer = viewer.twitchId;
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, minutes * 60]]);
};

test('A mistyped number is corrected with a question in between, and the public pages list it', async () => {
  await watched(480);
  const { start, requestId } = (await read()).body;
  expect(start).toMatchObject({
    name: 'Winter marathon',
    watch: 'on',
    watchAmount: '10',
    watchUnit: 'hours',
  });
  const form = { ...start, requestId, name: 'Winter evenings', watchAmount: '8', claimTimeoutHours: '96' };
  const asked = await send(form);
  expect(asked.body.review).toMatchObject({
    preview: { newly: 1, waiting: 0, free: 3, promised: 0 },
    recounted: false,
    wanted: { watchMinutes: 480, createdAtMs: (await rule())?.createdAtMs },
  });
  expect(await rule()).toMatchObject({ name: 'Winter marathon', watchMinutes: 600 });
  const { fields } = asked.body.review;
  expect(await send(fields)).toMatchObject({ location: `/rules/${ruleId}`, toast: 'correct.done' });
  expect(await rule()).toMatchObject({
    ...{ name: 'Winter evenings', watchMinutes: 480, claimTimeoutHours: 96, pool: { promised: 1, free: 2 } },
  });
  expect(await send(fields)).toMatchObject({ location: `/rules/${ruleId}`, toast: 'correct.already' });
  const [{ login } = { login: '' }] = await db.read
    .select({ login: channels.login })
    .from(channels)
    .where(eq(channels.id, streamer.twitchId));
  const seen = await visitor.call(publicLoader, `/channels/${login}/${ruleId}`, {
    params: { login, ruleId },
  });
  expect(seen.body.corrections).toMatchObject([
    { before: { name: 'Winter marathon', watchMinutes: 600 }, after: { watchMinutes: 480 } },
  ]);
});

test('If another number of viewers would qualify by the time of the confirmation, it is asked again', async () => {
  await watched(480);
  const form = { ...(await read()).body.start, requestId: newId(Date.now()), watchAmount: '8' };
  const { fields } = (await send(form)).body.review;
  await watched(500);
  const again = await send(fields);
  expect(again.body.review).toMatchObject({ recounted: true, preview: { newly: 2 } });
  expect((await rule())?.watchMinutes).toBe(600);
  expect(await send(again.body.review.fields)).toMatchObject({ location: `/rules/${ruleId}` });
  expect((await rule())?.pool).toMatchObject({ promised: 2 });
});

test.each([
  [
    'impossible',
    { streams: 'on', attendedStreams: '3', ofLastStreams: '2' },
    422,
    'errors.rule.lastStreamsTooFew',
  ],
  ['not changed', {}, 422, 'correct.nothing'],
  ['without a condition', { watch: '' }, 400, 'errors.rule.noCondition'],
])('A rule that would be %s is refused above the form', async (_, change, status, error) => {
  const form: Record<string, string> = {
    ...(await read()).body.start,
    requestId: newId(Date.now()),
    ...change,
  };
  if (form.watch === '') delete form.watch;
  const answer = await send(form);
  expect(answer.status).toBe(status);
  expect(answer.body.result.error).toMatchObject({ '': [error] });
});

test('Until a reward is promised a rule becomes harder in place', async () => {
  await watched(480);
  const { start, isPromised } = (await read()).body;
  expect(isPromised).toBe(false);
  const form = { ...start, requestId: newId(Date.now()), watchAmount: '11', type: 'random', streams: 'on' };
  const asked = await send({ ...form, attendedStreams: '2' });
  expect(asked.body.review).toMatchObject({ anew: true, mode: 'correct', preview: { newly: 0 } });
  await send(asked.body.review.fields);
  expect(await rule()).toMatchObject({ watchMinutes: 660, attendedStreams: 2, type: 'random' });
  await send((await send({ ...form, streams: '', watchAmount: '8' })).body.review.fields);
  expect((await rule())?.pool).toMatchObject({ promised: 1 });
  expect((await read()).body).toMatchObject({ isPromised: true });
});

/** Asks for an hour more once the rule has promised a reward, and returns the answer. */
async function askedForMore() {
  await watched(600);
  await evaluateChannel(db, streamer.twitchId, Date.now());
  return send({ ...(await read()).body.start, requestId: newId(Date.now()), watchAmount: '11' });
}

test('A harder rule takes the place of one that has promised, and the public pages of both say so', async () => {
  const { review } = (await askedForMore()).body;
  expect(review).toMatchObject({ mode: 'succeed', preview: { newly: 0, free: 2, promised: 1 } });
  const opened = await send(review.fields);
  expect(opened).toMatchObject({ toast: 'correct.succeeded' });
  const next = opened.location?.split('/').at(-1) ?? '';
  expect(await rule()).toMatchObject({ state: 'closed', watchMinutes: 600, pool: { promised: 1 } });
  expect(await getRule(db, { ruleId: next, ownerId: streamer.userId })).toMatchObject({
    ...{ state: 'open', watchMinutes: 660, pool: { free: 2 } },
  });
  expect(await listCorrections(db, ruleId)).toMatchObject([
    {
      before: { watchMinutes: 600 },
      after: { watchMinutes: 660 },
      succession: { ruleId: next, is: 'successor' },
    },
  ]);
  expect(await listCorrections(db, next)).toMatchObject([
    { before: { watchMinutes: 600 }, succession: { ruleId, is: 'predecessor' } },
  ]);
  expect(await send(review.fields)).toMatchObject({ location: `/rules/${next}` });
});

test('Both rules link to each other, and an old link leads to the rule that counts', async () => {
  const { fields } = (await askedForMore()).body.review;
  const next = (await send(fields)).location?.split('/').at(-1) ?? '';
  const html = async (reader: Reader, path: string) => (await reader.open(path)).html;
  const owner = readerLike(visitor);
  const link = (id: string, words: string) => new RegExp(`<a[^>]* href="/rules/${id}"[^>]*>${words}</a>`);
  expect(await html(owner, page().replace('/correct', ''))).toMatch(
    link(next, 'Closed: a harder rule took its place'),
  );
  expect(await html(owner, `/rules/${next}`)).toMatch(link(ruleId, 'Takes the place of an easier rule'));
  const [{ login } = { login: '' }] = await db.read
    .select({ login: channels.login })
    .from(channels)
    .where(eq(channels.id, streamer.twitchId));
  const open = (id: string) =>
    visitor.call(publicLoader, `/channels/${login}/${id}`, { params: { login, ruleId: id } });
  expect((await open(ruleId)).location).toBe(`/channels/${login}/${next}`);
  // Nothing of the closed rule is public but its words: it drew nothing that could be checked.
  const seen = await html(new Reader('en'), `/channels/${login}/${next}`);
  expect(seen).toContain('<p>Takes the place of an easier rule</p>');
  await closeRule(db, { ruleId: next, userId: streamer.userId }, Date.now());
  expect((await open(next)).location).toBe(`/channels/${login}`);
});

test('The streamer can let those win again who have won', async () => {
  const { fields } = (await askedForMore()).body.review;
  await watchFor(db, streamer.twitchId, [[lastViewer, 3600]]);
  const opened = await send({ ...fields, again: 'on' });
  const next = opened.location?.split('/').at(-1) ?? '';
  expect((await getRule(db, { ruleId: next, ownerId: streamer.userId }))?.pool).toMatchObject({
    promised: 1,
  });
});

test('A paused rule is not replaced by a harder one', async () => {
  const ask = await askedForMore();
  await db.transaction((tx) =>
    tx.update(rules).set({ state: 'paused', pauseReason: 'operator' }).where(eq(rules.id, ruleId)),
  );
  const refused = await send(ask.body.review.fields);
  expect(refused).toMatchObject({ status: 409, body: { result: { error: { '': ['correct.paused'] } } } });
});

test('If a reward is promised while the question is read, it is asked again as a replacement', async () => {
  const form = { ...(await read()).body.start, requestId: newId(Date.now()), watchAmount: '11' };
  const { fields } = (await send(form)).body.review;
  expect(fields.mode).toBe('correct');
  await watched(600);
  await evaluateChannel(db, streamer.twitchId, Date.now());
  const again = await send(fields);
  expect(again.body.review).toMatchObject({ recounted: true, mode: 'succeed' });
  expect(await rule()).toMatchObject({ state: 'open', watchMinutes: 600 });
});

test('A form that the browser kept after a correction makes the next one, with a question of its own', async () => {
  const form = { ...(await read()).body.start, requestId: newId(Date.now()), watchAmount: '8' };
  const first = (await send(form)).body.review.fields;
  await send({ ...first, requestId: form.requestId });
  const again = (await send({ ...form, watchAmount: '7' })).body.review.fields;
  expect(await send(again)).toMatchObject({ toast: 'correct.done' });
  expect((await rule())?.watchMinutes).toBe(420);
});

test('“Leave it as it is” shows the form again with what was entered', async () => {
  const form = { ...(await read()).body.start, requestId: newId(Date.now()), watchAmount: '8', edit: '1' };
  expect((await send(form)).body).toMatchObject({ result: { initialValue: { watchAmount: '8' } } });
});

test('A rule of somebody else or a deleted one has no such page', async () => {
  const stranger = await visitorOf((await addPerson(db)).userId);
  expect((await stranger.call(loader, page(), { params: { id: ruleId } })).status).toBe(404);
  await closeRule(db, { ruleId, userId: streamer.userId }, Date.now());
  expect(await read()).toMatchObject({ location: `/rules/${ruleId}` });
});

test('The proof of a random rule lists its corrections', async () => {
  ruleId = await addRule(db, streamer, { type: 'random', watchMinutes: 60, rewards: 1, nowMs: Date.now() });
  const form = {
    ...(await read()).body.start,
    requestId: newId(Date.now()),
    watchAmount: '30',
    watchUnit: 'minutes',
  };
  await send((await send(form)).body.review.fields);
  const seen = await visitor.call(proofLoader, `/proof/${ruleId}`, { params: { ruleId } });
  expect(seen.body.corrections).toMatchObject([{ afterDraw: 0, after: { watchMinutes: 30 } }]);
});
