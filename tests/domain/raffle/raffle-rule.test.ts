import { expect, test } from 'vitest';
import { findRaffleOfRule } from '#domain/raffle/find-raffle-of-rule.ts';
import { listRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { owned } from '#tests/support/looking.ts';
import { addRaffle } from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

test('The rule of a raffle is on no list of rules, and leads to its raffle', async () => {
  const viewer = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
  const raffleId = await addRaffle(db, streamer);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const ownerId = streamer.userId;
  expect((await listRules(db, { ownerId })).rows.map(({ id }) => id)).toEqual([ruleId]);
  expect(await getRule(db, { ruleId: raffleId, ownerId })).toBeNull();
  expect(await findRaffleOfRule(db.read, { ruleId: raffleId, ownerId })).toMatchObject({ id: raffleId });
  expect(await findRaffleOfRule(db.read, { ruleId, ownerId })).toBeNull();
  // It asks for no minutes, of which nobody has a share.
  const { rows } = await listRuleViewers(db, owned(raffleId), { size: 2 }, START_MS);
  expect(rows).toHaveLength(1);
});
