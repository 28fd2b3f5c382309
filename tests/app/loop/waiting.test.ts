import { beforeAll, expect, test } from 'vitest';
import { loader as progressLoader } from '#app/routes/progress/progress.tsx';
import { action as deleteAction, loader as deleteLoader } from '#app/routes/rules/delete-rule.tsx';
import { loader as ruleLoader } from '#app/routes/rules/rule.tsx';
import { database } from '#app/services/database.server.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addPerson, addRule, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { visitorOf } from '../support/signed-in.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

const CROWD = 11;
let streamer: Person;
let viewers: Person[];
let params: { id: string };
beforeAll(async () => {
  const db = await database();
  streamer = await addStreamer(db);
  const nowMs = Date.now();
  params = { id: await addRule(db, streamer, { rewards: 0, watchMinutes: 10, nowMs: nowMs - 3_600_000 }) };
  viewers = [];
  for (let number = 0; number < CROWD; number++) {
    const viewer = await addPerson(db);
    await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
    await evaluateChannel(db, streamer.twitchId, nowMs - (CROWD - number) * 60_000);
    viewers.push(viewer);
  }
});

test('The page of a rule lists who waits, in order and over pages', async () => {
  const visitor = await visitorOf(streamer.userId);
  const read = async (query: string) => (await visitor.call(ruleLoader, `/rules/x${query}`, { params })).body;
  const { waiting, rule } = await read('');
  expect(rule.waiting).toBe(CROWD);
  expect(waiting.rows[2]).toMatchObject({ place: 3, twitchId: viewers[2]!.twitchId });
  const { waiting: rest } = await read(`?waiting=${waiting.next}`);
  expect(rest.rows).toMatchObject([{ place: 11, twitchId: viewers[10]!.twitchId }]);
});

test('A viewer sees their place, and after the deletion that they got nothing', async () => {
  const viewer = await visitorOf(viewers[2]!.userId);
  const progress = async () => (await viewer.call(progressLoader, '/rewardProgress')).body.found;
  const { progress: before, missed: noneYet } = await progress();
  expect(before.rows).toMatchObject([{ status: 'waiting', inLine: { place: 3, waiting: 11 } }]);
  expect(noneYet).toEqual([]);
  const visitor = await visitorOf(streamer.userId);
  const question = (await visitor.call(deleteLoader, '/x', { params })).body;
  expect(question).toMatchObject({ rule: { waiting: CROWD }, inProgress: 0 });
  await visitor.call(deleteAction, '/x', { params, form: {} });
  const { progress: after, missed } = await progress();
  expect([after.rows, missed]).toMatchObject([[], [{ ruleId: params.id }]]);
});
