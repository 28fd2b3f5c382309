import type { Database } from '#db/database.ts';
import type { Account } from '#domain/account/get-account.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { dryRun } from '#domain/view/dry-run.ts';
import { type FirstRewards, reviewedKinds } from './first-rewards.server.ts';
import { rulePlacesOf } from './rule-places.server.ts';
import type { Review } from './rule-review.tsx';

type Asked = { userId: string; channelId: string | null; draft: RuleDraft };

/** Prepares the question before a rule opens: the rule as it would be, and who would have met it. */
export async function reviewOf(
  db: Database,
  { account, asked, rewards }: { account: Account; asked: Asked; rewards: FirstRewards },
  nowMs: number,
): Promise<Omit<Review, 'fields'>> {
  const { places } = await rulePlacesOf(account);
  const other = places.others.find(({ id }) => id === asked.channelId);
  const tried = await dryRun(db, asked, nowMs);
  return {
    draft: asked.draft,
    found: tried.ok ? tried.found : null,
    channelName: other?.displayName ?? places.ownChannel,
    rewards: reviewedKinds(rewards, asked.draft.type),
  };
}
