import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { correctRule } from '#domain/rule/correct-rule.ts';
import { succeedRule } from '#domain/rule/succeed-rule.ts';
import { letWait, letWatch, stock } from '#tests/benchmarks/holds/seed.ts';
import { addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';

const NO_CHECK = 2 ** 52;

interface World {
  db: Database;
  botId: string;
  crowd: readonly string[];
  measure(name: string, work: () => Promise<unknown>): Promise<void>;
}

const cases = (quantity: number) => [{ appId: 730, marketHashName: 'Demo case', quantity }];

/** A rule of a large channel on which everybody waits. */
async function waitedFor({ db, crowd }: World): Promise<{ streamer: Person; ruleId: string }> {
  const streamer = await addStreamer(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, watchScope: 'sinceRule', rewards: 0 });
  await letWatch(db, streamer.twitchId, crowd, { seconds: 900, nextCheckSeconds: NO_CHECK });
  await letWait(db, ruleId, crowd);
  return { streamer, ruleId };
}

/** A rule becomes harder, in place or by another one with this many rewards: everybody but one loses their place. */
export async function correctLargeRules(world: World, rewards: number): Promise<void> {
  const { db, botId, measure } = world;
  const inPlace = await waitedFor(world);
  await measure('correctRule', () => change(correctRule, db, inPlace, { watchMinutes: 20 }));
  const replaced = await waitedFor(world);
  const { streamer, ruleId } = replaced;
  const { userId } = streamer;
  await stock(db, streamer, botId, rewards + 1);
  // One of them is promised.
  await attachRewards(db, { ruleId, userId, kinds: cases(1) }, START_MS);
  await db.transaction((tx) => tx.update(rules).set({ state: 'paused' }).where(eq(rules.id, ruleId)));
  await attachRewards(db, { ruleId, userId, kinds: cases(rewards) }, START_MS);
  await db.transaction((tx) => tx.update(rules).set({ state: 'open' }).where(eq(rules.id, ruleId)));
  const asked = { watchMinutes: 20 };
  await measure('succeedRule', () =>
    change((_, request, nowMs) => succeedRule(db, { ...request, again: false }, nowMs), db, replaced, asked),
  );
}

async function change(
  verb: (db: Database, ...rest: [Parameters<typeof correctRule>[1], number]) => Promise<{ ok: boolean }>,
  db: Database,
  { streamer, ruleId }: { streamer: Person; ruleId: string },
  values: { watchMinutes: number },
): Promise<void> {
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  if (!rule) throw new Error('no rule');
  const wanted = { ...rule, ...values };
  const request = { requestId: newId(START_MS + hour), ruleId, userId: streamer.userId, wanted };
  const outcome = await verb(db, request, START_MS + hour);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}
