import { beforeEach, expect, test } from 'vitest';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { findPlacesInLine, listMissedRules, listWaiting } from '#domain/view/list-waiting.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { owned } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let ruleId: string;
let viewers: Person[];
beforeEach(async () => {
  ruleId = await addRule(db, streamer, { name: 'Out of rewards', rewards: 0, watchMinutes: 10 });
  viewers = [];
  // Each meets the rule a minute after the one before.
  for (let number = 0; number < 3; number++) {
    const viewer = await addPerson(db);
    await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
    await evaluateChannel(db, streamer.twitchId, START_MS + number * 60_000);
    viewers.push(viewer);
  }
});

test('Waiting viewers are listed in the order in which they are served, page by page', async () => {
  const first = await listWaiting(db, owned(ruleId), { size: 2 });
  const second = await listWaiting(db, owned(ruleId), { size: 2, after: first.next });
  const rows = [...first.rows, ...second.rows];
  expect(rows.map(({ twitchId }) => twitchId)).toEqual(viewers.map(({ twitchId }) => twitchId));
  expect(rows.map(({ place }) => place)).toEqual([1, 2, 3]);
  expect(rows[1]).toMatchObject({ qualifiedAtMs: START_MS + 60_000, displayName: expect.any(String) });
  expect(second.next).toBeNull();
});

test('A viewer knows their place in line, and nobody else’s', async () => {
  const places = (userId: string) => findPlacesInLine(db, { userId, ruleIds: [ruleId] });
  expect((await places(viewers[2]!.userId)).get(ruleId)).toEqual({ place: 3, waiting: 3 });
  expect((await places(viewers[0]!.userId)).get(ruleId)).toEqual({ place: 1, waiting: 3 });
  expect(await places(streamer.userId)).toEqual(new Map());
});

test('Who waited when a rule was deleted still finds it', async () => {
  const missed = (userId: string) => listMissedRules(db, { userId, size: 5 });
  const { userId } = viewers[1]!;
  expect(await missed(userId)).toEqual([]);
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS + 3_600_000);
  expect(await missed(userId)).toMatchObject([
    {
      ruleId,
      ruleName: 'Out of rewards',
      channel: { id: streamer.twitchId },
      closedAtMs: START_MS + 3_600_000,
    },
  ]);
  expect(await missed(streamer.userId)).toEqual([]);
});
