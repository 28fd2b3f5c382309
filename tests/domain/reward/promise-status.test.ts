import { expect, test } from 'vitest';
import { promiseStatusOf } from '#domain/reward/promise-status.ts';
import { listRulePromises } from '#domain/rule/list-rule-rewards.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { owned } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

type Reward = Parameters<typeof promiseStatusOf>[0];
test.each<[Reward['state'], Reward['transferState'], Reward['recallReason'], string]>([
  ['promised', null, null, 'promised'],
  ['promised', 'declined', null, 'promised'],
  ['reserved', 'queued', null, 'claimed'],
  ['reserved', 'unconfirmed', null, 'claimed'],
  ['reserved', 'sent', null, 'offerSent'],
  ['reserved', 'escrowed', null, 'offerSent'],
  ['claimed', 'accepted', null, 'delivered'],
  ['claimed', null, null, 'delivered'],
  ['claimed', 'settled', null, 'final'],
  ['recalled', null, 'timedOut', 'timedOut'],
  ['recalled', 'reversed', 'reversed', 'reversed'],
  ['recalled', null, 'depositReversed', 'depositReversed'],
  ['recalled', null, 'ruleClosed', 'recalled'],
])('A reward that is %s with a transfer %s and recalled for %s is shown as %s', (...facts) => {
  const [state, transferState, recallReason, shown] = facts;
  expect(promiseStatusOf({ state, transferState, recallReason })).toBe(shown);
});

test('A rule’s promises are listed page by page, each once', async () => {
  const viewers = await Promise.all([1, 2, 3].map(() => addPerson(db)));
  const { ruleId, rewards } = await promiseTo(db, streamer, viewers, { nowMs: START_MS });
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listRulePromises>> = await listRulePromises(db, owned(ruleId), {
      size: 2,
      after,
    });
    seen.push(...page.rows.map(({ id }) => id));
    after = page.next;
  } while (after);
  expect(seen.toSorted()).toEqual(rewards.map(({ id }) => id).toSorted());
});
