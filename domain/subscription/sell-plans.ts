import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { billingSwitch } from '#db/schema/billing.ts';

const ROW = 'instance';

/** Records whether this instance sells plans, as the web process is configured. Writes only a change. */
export async function sellPlans(database: Database, sellsPlans: boolean, nowMs: number): Promise<void> {
  const [row] = await database.read.select().from(billingSwitch).where(eq(billingSwitch.id, ROW));
  if ((row?.sellsPlans ?? false) === sellsPlans) return;
  await database.transaction((tx) =>
    tx
      .insert(billingSwitch)
      .values({ id: ROW, sellsPlans, changedAtMs: nowMs })
      .onConflictDoUpdate({ target: billingSwitch.id, set: { sellsPlans, changedAtMs: nowMs } }),
  );
}
