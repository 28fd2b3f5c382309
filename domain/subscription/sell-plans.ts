import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { billingSwitch } from '#db/schema/billing.ts';
import { rules } from '#db/schema/rule.ts';
import { fitRules } from '#domain/rule/fit-rules.ts';

const ROW = 'instance';

/**
 * Records whether this instance sells plans, as the web process is configured. It writes only if that has
 * changed. If the instance sells none, rules that were over the limit of a plan resume.
 */
export async function sellPlans(db: Database, sellsPlans: boolean, nowMs: number): Promise<void> {
  await setSwitch(db, sellsPlans, nowMs);
  if (sellsPlans) return;
  const owners = await db.read
    .selectDistinct({ ownerId: rules.ownerId })
    .from(rules)
    .where(and(is(rules.state, 'paused'), is(rules.pauseReason, 'overLimit')));
  for (const { ownerId } of owners) await fitRules(db, ownerId, nowMs);
}

async function setSwitch(db: Database, sellsPlans: boolean, nowMs: number): Promise<void> {
  const [row] = await db.read.select().from(billingSwitch).where(eq(billingSwitch.id, ROW));
  if ((row?.sellsPlans ?? false) === sellsPlans) return;
  await db.transaction((tx) =>
    tx
      .insert(billingSwitch)
      .values({ id: ROW, sellsPlans, changedAtMs: nowMs })
      .onConflictDoUpdate({ target: billingSwitch.id, set: { sellsPlans, changedAtMs: nowMs } }),
  );
}
