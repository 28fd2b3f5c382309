import { and, asc, desc, eq, gte, not } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { listBots } from '#domain/operator/list-bots.ts';

export type Transfer = typeof transfers.$inferSelect & { events: string[] };

/** The way of the one item so far. */
export interface Journey {
  bot: { isReady: boolean; fault: string | null } | null;
  /** The newest deposit of one item since the beginning. */
  deposit: Transfer | null;
  item: typeof items.$inferSelect | null;
  /** The newest reward of that item. */
  reward: typeof rewards.$inferSelect | null;
  /** The login of the channel on which the rule runs, and whether it is live. */
  channel: { login: string; isLive: boolean } | null;
  /** The newest claim of that reward. */
  claim: Transfer | null;
}

/** Reads how far the first item has come that was deposited since the beginning. */
export async function readJourney(q: Reader, beganAtMs: number): Promise<Journey> {
  const [bot] = (await listBots(q)).sort((a, b) => Number(b.state === 'ready') - Number(a.state === 'ready'));
  const deposit = await findDeposit(q, beganAtMs);
  const item = deposit && (await findItem(q, deposit.id));
  const reward = item && (await findReward(q, item.id));
  return {
    bot: bot ? { isReady: bot.state === 'ready', fault: bot.fault } : null,
    deposit: deposit && (await withEvents(q, deposit)),
    item,
    reward,
    channel: reward?.channelId ? await findChannel(q, reward.channelId) : null,
    claim: reward && (await findClaim(q, reward.id)),
  };
}

const endedBadly = ['declined', 'expired', 'cancelled', 'failed'] as const;

/** Takes one that ended without an exchange only if there is no other. */
async function findDeposit(q: Reader, beganAtMs: number) {
  const since = and(is(transfers.kind, 'deposit'), gte(transfers.createdAtMs, beganAtMs));
  const find = (where: typeof since, order: typeof asc) =>
    q.select().from(transfers).where(where).orderBy(order(transfers.id)).limit(1);
  const [going] = await find(and(since, not(within(transfers.state, endedBadly))), asc);
  if (going) return going;
  const [ended] = await find(since, desc);
  return ended ?? null;
}

async function findItem(q: Reader, transferId: string) {
  const [found] = await q
    .select({ item: items })
    .from(transferItems)
    .innerJoin(items, eq(items.id, transferItems.itemId))
    .where(eq(transferItems.transferId, transferId))
    .orderBy(asc(items.id))
    .limit(1);
  return found?.item ?? null;
}

async function findReward(q: Reader, itemId: string) {
  const [found] = await q
    .select()
    .from(rewards)
    .where(eq(rewards.itemId, itemId))
    .orderBy(desc(rewards.createdAtMs), desc(rewards.id))
    .limit(1);
  return found ?? null;
}

async function findChannel(q: Reader, channelId: string) {
  const [found] = await q
    .select({ login: channels.login, isLive: channels.live })
    .from(channels)
    .where(eq(channels.id, channelId));
  return found ?? null;
}

async function findClaim(q: Reader, rewardId: string) {
  const [found] = await q
    .select()
    .from(transfers)
    .where(eq(transfers.rewardId, rewardId))
    .orderBy(desc(transfers.id))
    .limit(1);
  return found ? withEvents(q, found) : null;
}

async function withEvents(q: Reader, transfer: typeof transfers.$inferSelect): Promise<Transfer> {
  const steps = await q
    .select({ event: transferSteps.event })
    .from(transferSteps)
    .where(eq(transferSteps.transferId, transfer.id))
    .orderBy(asc(transferSteps.id));
  return { ...transfer, events: steps.map(({ event }) => event) };
}
