import { and, eq } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { liveRaffleStates, raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { commitmentOf } from '#domain/draw/pick-candidate.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { minute } from '#domain/kernel/time.ts';
import { headOf } from './entry-list.ts';
import { moveRaffle, type Raffle, readRaffle } from './move-raffle.ts';
import { queueNews } from './raffle-news.ts';
import { hasUnreadList } from './unread-lists.ts';

export type StartRefusal =
  | 'notFound'
  /** It was started or ended before. */
  | 'notPrepared'
  /** The owner disowned what was done in their account. */
  | 'accountFrozen'
  /** A list of Twitch's that it asks for was not read yet. */
  | 'listUnread';

/**
 * Starts a prepared raffle. Its terms are fixed and published now, and so is the hash that its list begins with.
 * Starting a running one again changes nothing.
 */
export async function startRaffle(
  db: Database,
  { raffleId, lengthMs }: { raffleId: string; lengthMs?: number | undefined },
  nowMs: number,
): Promise<Outcome<{ raffle: Raffle }, StartRefusal>> {
  const [found] = await readRaffle(db.read, { raffleId });
  if (!found) return refuse('notFound');
  return db.transaction(
    async (tx) => {
      const [raffle] = await readRaffle(tx, { raffleId });
      if (!raffle) return refuse('notFound');
      if (raffle.state === 'running') return done({ raffle });
      if (await isFrozen(tx, raffle)) return refuse('accountFrozen');
      if (raffle.state === 'prepared' && (await hasUnreadList(tx, raffle))) return refuse('listUnread');
      const plannedEndMs = nowMs + (lengthMs ?? raffle.lengthMs);
      const commitment = commitmentOf(raffle.seed);
      const { id, keyword, winners, channelId } = raffle;
      const terms = { raffleId: id, commitment, keyword, winners, startedAtMs: nowMs, plannedEndMs };
      const patch = { startedAtMs: nowMs, plannedEndMs, endsAtMs: plannedEndMs, listHash: headOf(terms) };
      const started = await moveRaffle(tx, raffle, 'started', patch, nowMs);
      if (!started) return refuse('notPrepared');
      const item = await itemOf(tx, raffle.ruleId);
      const news = { kind: 'started', raffleId: id, keyword, item, winners, endsAtMs: plannedEndMs } as const;
      await queueNews(tx, { channelId, news }, nowMs);
      return done({ raffle: started });
    },
    { lock: channelLock(found.channelId) },
  );
}

/** Returns whether nothing of a raffle is given away now. */
export async function isFrozen(q: Reader, { ruleId }: Pick<Raffle, 'ruleId'>): Promise<boolean> {
  const [rule] = await q.select({ frozenAtMs: rules.frozenAtMs }).from(rules).where(eq(rules.id, ruleId));
  return rule?.frozenAtMs != null;
}

async function itemOf(q: Reader, ruleId: string): Promise<string> {
  const [item] = await q
    .select({ name: items.name })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
    .orderBy(rewards.position)
    .limit(1);
  return item?.name ?? '';
}

/** Finds the raffle of a channel that is prepared, runs or is about to be drawn; null if there is none. */
export async function findLiveRaffle(q: Reader, channelId: string): Promise<Raffle | null> {
  const [raffle] = await q
    .select()
    .from(raffles)
    .where(and(eq(raffles.channelId, channelId), within(raffles.state, liveRaffleStates)));
  return raffle ?? null;
}

export const raffleLengths = { shortestMs: minute, longestMs: 120 * minute } as const;
