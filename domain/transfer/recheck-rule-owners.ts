import { setImmediate as nextTurn } from 'node:timers/promises';
import { asc, eq, gt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';

const PAGE = 500;

/**
 * Compares the owner that each claim names with that of its reward's rule, page by page; neither ever
 * changes. With `mend` it corrects the claims that differ. Returns how many differed.
 */
export async function recheckRuleOwners(db: Database, { mend }: { mend: boolean }): Promise<number> {
  let found = 0;
  for (let after = ''; ; ) {
    const page = await db.read
      .select({ id: transfers.id, named: transfers.ruleOwnerId, ownerId: rules.ownerId })
      .from(transfers)
      .leftJoin(rewards, eq(rewards.id, transfers.rewardId))
      .leftJoin(rules, eq(rules.id, rewards.ruleId))
      .where(gt(transfers.id, after))
      .orderBy(asc(transfers.id))
      .limit(PAGE);
    // Without this, SQLite would let nothing else run between the pages.
    await nextTurn();
    const last = page.at(-1);
    if (!last) return found;
    after = last.id;
    const wrong = page.filter(({ named, ownerId }) => named !== ownerId);
    found += wrong.length;
    if (mend && wrong.length > 0)
      await db.transaction(async (tx) => {
        for (const { id, ownerId } of wrong)
          await tx.update(transfers).set({ ruleOwnerId: ownerId }).where(eq(transfers.id, id));
      });
  }
}
