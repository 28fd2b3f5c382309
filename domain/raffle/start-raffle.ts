import { and, eq, sql } from 'drizzle-orm';
import { type Database, holdLock, type Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { type ChannelBlocker, channelBlocker } from '#domain/channel/channel-blocker.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { commitmentOf } from '#domain/draw/pick-candidate.ts';
import { type Giver, reportGiving } from '#domain/identity/access/report-giving.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { channelLock, itemsLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { minute } from '#domain/kernel/time.ts';
import { headOf } from './entry-list.ts';
import { moveRaffle, type Raffle, readRaffle } from './move-raffle.ts';
import { queueAnnouncement } from './queue-announcement.ts';
import { readTerms } from './read-terms.ts';
import { hasUnreadList } from './unread-lists.ts';

export type StartRefusal =
  | 'notFound'
  /** It was started or ended before. */
  | 'notPrepared'
  /** The owner disowned what was done in their account. */
  | 'accountFrozen'
  | ChannelBlocker
  /** A list of Twitch's that it asks for was not read yet. */
  | 'listUnread';

/**
 * Starts a prepared raffle. Its terms are fixed and published now, and so is the hash that its list begins with.
 * Starting a running one again changes nothing. Refused once its owner does not have the channel any more. `by` is the
 * credential that gave the caller access, if they acted as the owner: see `reportGiving`.
 */
export async function startRaffle(
  db: Database,
  { raffleId, lengthMs, by }: { raffleId: string; lengthMs?: number | undefined; by?: Giver | null },
  nowMs: number,
): Promise<Outcome<{ raffle: Raffle }, StartRefusal>> {
  const [found] = await readRaffle(db.read, { raffleId });
  if (!found) return refuse('notFound');
  return db.transaction(
    async (tx) => {
      const [raffle] = await readRaffle(tx, { raffleId });
      if (!raffle) return refuse('notFound');
      if (raffle.state === 'running') return done({ raffle });
      // A freeze takes this lock: the start is either done before it, or finds it.
      await holdLock(tx, itemsLock(raffle.ownerId));
      const refused = await startRefusalOf(tx, raffle);
      if (refused) return refuse(refused);
      if (raffle.state === 'prepared' && (await hasUnreadList(tx, raffle))) return refuse('listUnread');
      const plannedEndMs = nowMs + (lengthMs ?? raffle.lengthMs);
      const commitment = commitmentOf(raffle.seed);
      const { id, keyword, winners, channelId } = raffle;
      const terms = await readTerms(tx, raffle);
      const times = { startedAtMs: nowMs, plannedEndMs };
      const listHash = headOf({ raffleId: id, commitment, keyword, winners, ...times, terms });
      const patch = { ...times, endsAtMs: plannedEndMs, terms: JSON.stringify(terms), listHash };
      const started = await moveRaffle(tx, raffle, 'started', patch, nowMs);
      if (!started) return refuse('notPrepared');
      const item = await itemOf(tx, raffle.ruleId);
      const announcement = {
        kind: 'started',
        raffleId: id,
        keyword,
        item,
        winners,
        endsAtMs: plannedEndMs,
        commitment,
      } as const;
      await queueAnnouncement(tx, { channelId, announcement }, nowMs);
      if (by) await reportGiving(tx, by, nowMs);
      return done({ raffle: started });
    },
    { lock: channelLock(found.channelId) },
  );
}

async function startRefusalOf(q: Reader, raffle: Raffle): Promise<StartRefusal | null> {
  const { channelId, ownerId: userId } = raffle;
  if ((await isFrozen(q, raffle)) || (await findFreeze(q, { userId }))) return 'accountFrozen';
  // To be admitted as a guest is not enough: the channel's moderators start raffles too.
  const ownId = await findChannelOf(q, userId);
  if (ownId !== null && ownId !== channelId) return 'notAdmitted';
  return channelBlocker(q, { channelId, userId });
}

const readFrozen = statement('frozen_raffle', (q) =>
  q
    .select({ frozenAtMs: rules.frozenAtMs })
    .from(rules)
    .where(eq(rules.id, sql.placeholder('ruleId'))),
);

/** Returns whether nothing of a raffle is given away now. */
export async function isFrozen(q: Reader, { ruleId }: Pick<Raffle, 'ruleId'>): Promise<boolean> {
  const [rule] = await readFrozen(q, { ruleId });
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

export const raffleLengths = { shortestMs: minute, longestMs: 120 * minute } as const;
