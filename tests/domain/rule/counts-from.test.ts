import { expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { type Correction, correctRule } from '#domain/rule/correct-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listPublicRules } from '#domain/rule/list-public-rules.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { succeedRule } from '#domain/rule/succeed-rule.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

test('A rule counts from its beginning, unless a correction began a count or it took the place of another', async () => {
  const requestFor = async (ruleId: string, change: Partial<Correction>) => {
    const rule = (await getRule(db, { ruleId, ownerId: streamer.userId }))!;
    return { requestId: newId(START_MS), ruleId, userId: streamer.userId, wanted: { ...rule, ...change } };
  };
  const [untouched, corrected, renamed, added, rescoped, harder] = [
    await addRule(db, streamer, { watchMinutes: 500, rewards: 0 }),
    await addRule(db, streamer, { watchMinutes: 500, rewards: 0 }),
    await addRule(db, streamer, { watchMinutes: 500, rewards: 0 }),
    await addRule(db, streamer, { watchMinutes: null, followDays: 3, rewards: 0 }),
    await addRule(db, streamer, { watchMinutes: 500, watchScope: 'sinceRule', rewards: 0 }),
    await addRule(db, streamer, { watchMinutes: 60, rewards: 1 }),
  ];
  await watchFor(db, streamer.twitchId, [[(await addPerson(db)).twitchId, 60 * 60]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  await correctRule(db, await requestFor(corrected, { watchMinutes: 400 }), START_MS + hour);
  await correctRule(db, await requestFor(renamed, { name: 'Another name' }), START_MS + hour);
  await correctRule(db, await requestFor(added, { watchMinutes: 30 }), START_MS + hour);
  await correctRule(db, await requestFor(rescoped, { watchScope: 'allTime' }), START_MS + hour);
  const request = await requestFor(harder, { watchMinutes: 90 });
  const opened = await succeedRule(db, { ...request, again: false }, START_MS + hour);
  if (!opened.ok) throw new Error(opened.code);
  const expected = {
    ...{ [untouched]: START_MS, [corrected]: START_MS, [renamed]: START_MS },
    ...{ [added]: null, [rescoped]: null, [opened.ruleId]: null },
  };
  const shown = await listPublicRules(db, streamer.twitchId);
  expect(Object.fromEntries(shown.map((rule) => [rule.id, rule.countsFromMs]))).toEqual(expected);
  for (const [ruleId, countsFromMs] of Object.entries(expected))
    expect(await getRule(db, { ruleId, ownerId: streamer.userId })).toMatchObject({ countsFromMs });
});
