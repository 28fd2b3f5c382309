import './support/web.ts';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { pauseRule } from '#domain/rule/pause-rule.ts';
import { addBot, addPerson, addRule } from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { type Signed, streamer } from './support/people.ts';

let host: Signed;
let ruleId: string;
beforeEach(async () => {
  host = await streamer();
  await addBot(host.db);
  ruleId = await addRule(host.db, host, {
    ...{ name: 'Winter marathon', watchMinutes: 600, followDays: null, rewards: 3, nowMs: Date.now() },
  });
});

const at = (tail = '', id = ruleId) => `/api/v1/rules/${id}${tail}`;
const rule = async (id = ruleId) => (await host.app.get(at('', id))).body.data.attributes;
async function watched(minutes: number) {
  const viewer = await addPerson(host.db);
  await watchFor(host.db, host.twitchId, [[viewer.twitchId, minutes * 60]]);
  return viewer;
}
const preview = async (json: object) =>
  (await host.app.post(at('/corrections/preview'), { json })).body.data.attributes;
const correct = (json: object, key = newId(Date.now())) =>
  host.app.post(at('/corrections'), { json, headers: { 'Idempotency-Key': key } });

test('An app corrects a number in place: what it leaves out stays, and the count is confirmed', async () => {
  await watched(480);
  const json = { watch_minutes: 480, name: 'Winter evenings' };
  const counted = await preview(json);
  expect(counted).toMatchObject({ mode: 'correct', newly: 1, waiting: 0, leaving: 0, free: 3, promised: 0 });
  expect(await rule()).toMatchObject({ watch_minutes: 600, pool: { free: 3 } });
  await watched(500);
  const old = await correct({ ...json, mode: 'correct', newly: 1, leaving: 0 });
  expect([old.status, old.codes]).toEqual([409, ['recounted']]);
  expect((await rule()).watch_minutes).toBe(600);
  const key = newId(Date.now());
  const confirmed = { ...json, mode: 'correct', newly: 2, leaving: 0 };
  for (const each of [await correct(confirmed, key), await correct(confirmed, key)])
    expect(each).toMatchObject({ status: 200, body: { data: { id: ruleId } } });
  expect(await rule()).toMatchObject({
    ...{ name: 'Winter evenings', watch_minutes: 480, watch_scope: 'sinceRule', follow_days: null },
    ...{ claim_timeout_hours: 72, pool: { free: 1, promised: 2 } },
  });
  const { data } = (await host.app.get(at('/corrections'))).body;
  expect(data).toMatchObject([
    {
      id: key,
      attributes: {
        before: { name: 'Winter marathon', watch_minutes: 600 },
        after: { name: 'Winter evenings', watch_minutes: 480 },
        succession: null,
      },
    },
  ]);
});

test('An app replaces a rule that has promised with a harder one, and repeating it opens no other', async () => {
  const winner = await watched(600);
  await evaluateChannel(host.db, host.twitchId, Date.now());
  expect(await preview({ watch_minutes: 700 })).toMatchObject({ mode: 'succeed', promised: 1, free: 2 });
  const inPlace = await correct({ watch_minutes: 700, mode: 'correct', newly: 0, leaving: 0 });
  expect(inPlace.codes).toEqual(['recounted']);
  const key = newId(Date.now());
  const confirmed = { watch_minutes: 700, mode: 'succeed', newly: 0, leaving: 0 };
  const opened = await correct(confirmed, key);
  expect(opened.body.data).toMatchObject({ id: key, attributes: { state: 'open', watch_minutes: 700 } });
  expect((await correct(confirmed, key)).body.data.id).toBe(key);
  expect(await rule()).toMatchObject({ state: 'closed', pool: { promised: 1, free: 0 } });
  await watchFor(host.db, host.twitchId, [[winner.twitchId, 200 * 60]]);
  await evaluateChannel(host.db, host.twitchId, Date.now());
  expect((await rule(key)).pool).toMatchObject({ free: 2, promised: 0 });
  const [lost] = (await host.app.get(at('/corrections'))).body.data;
  expect(lost.attributes.succession).toEqual({ rule_id: key, is: 'successor' });
  expect((await correct({ name: 'Late', mode: 'correct', newly: 0, leaving: 0 })).codes).toEqual([
    'ruleClosed',
  ]);
});

test('With “again”, whoever got one can get another', async () => {
  const winner = await watched(600);
  await evaluateChannel(host.db, host.twitchId, Date.now());
  const confirmed = { watch_minutes: 610, mode: 'succeed', newly: 0, leaving: 0, again: true };
  const { id } = (await correct(confirmed)).body.data;
  await watchFor(host.db, host.twitchId, [[winner.twitchId, 600]]);
  await evaluateChannel(host.db, host.twitchId, Date.now());
  expect((await rule(id)).pool).toMatchObject({ free: 1, promised: 1 });
});

test.each([
  ['nothing', {}, 422, 'nothingCorrected'],
  ['its last condition away', { watch_minutes: null }, 422, 'noCondition'],
  ['channel points in', { points_cost: 500 }, 422, 'pointsFixed'],
  ['a number out of bounds', { watch_minutes: 0 }, 422, 'range'],
  ['another channel', { channel_id: '1' }, 422, 'unknownField'],
])('Correcting %s is refused, and so is its preview', async (_, json, status, code) => {
  const confirmed = { ...json, mode: 'correct', newly: 0, leaving: 0 };
  const previewed = await host.app.post(at('/corrections/preview'), { json });
  expect([previewed.status, previewed.codes]).toEqual([status, [code]]);
  const corrected = await correct(confirmed);
  expect([corrected.status, corrected.codes]).toEqual([status, [code]]);
});

test('An app pauses a rule for 30 minutes or until it is resumed', async () => {
  const before = Date.now();
  const paused = (await host.app.post(at('/pause'), { json: {} })).body.data.attributes;
  expect(paused).toMatchObject({ state: 'paused', pause_reason: 'owner' });
  const minutes = (Date.parse(paused.resumes_at) - before) / minute;
  expect(Math.round(minutes)).toBe(30);
  const longer = (await host.app.post(at('/pause'), { json: { until_resumed: true } })).body.data.attributes;
  expect(longer).toMatchObject({ state: 'paused', resumes_at: null, paused_since: paused.paused_since });
  const resumed = (await host.app.delete(at('/pause'))).body.data.attributes;
  expect(resumed).toMatchObject({ state: 'open', pause_reason: null, paused_since: null });
});

test('Nobody corrects, reads or pauses a rule of somebody else', async () => {
  const stranger = (await streamer()).app;
  const confirmed = { name: 'Mine', mode: 'correct', newly: 0, leaving: 0 };
  await pauseRule(host.db, { ruleId, userId: host.userId, resumesAtMs: null }, Date.now());
  const calls = [
    stranger.post(at('/corrections/preview'), { json: { name: 'Mine' } }),
    stranger.post(at('/corrections'), { json: confirmed }),
    stranger.get(at('/corrections')),
    stranger.post(at('/pause'), { json: {} }),
    stranger.delete(at('/pause')),
  ];
  expect((await Promise.all(calls)).map(({ codes }) => codes)).toEqual(calls.map(() => ['notFound']));
  expect(await rule()).toMatchObject({ name: 'Winter marathon', state: 'paused' });
});
