import { and, asc, eq, inArray, lte, max } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { raffleCheckpoints, raffles } from '#db/schema/raffle.ts';
import { chatAnnouncements, type RaffleAnnouncement } from '#db/schema/twitch.ts';
import { minute } from '#domain/kernel/time.ts';

/** Announcements older than this are dropped. Domain time. */
export const STALE_AFTER_MS = 2 * minute;

/** New promises of one rule, some viewers by name and the others as a count, a line about an open rule, or an announcement of a raffle. */
export interface ChatAnnouncement {
  id: string;
  channelId: string;
  channelLogin: string;
  names: string[];
  others: number;
  ruleName: string;
  /** The whole line about an open rule; null for promises. */
  line: string | null;
  /** News of a raffle, to be worded; null for anything else. */
  raffle: RaffleAnnouncement | null;
  createdAtMs: number;
}

const deleteStale = (tx: Tx, nowMs: number) =>
  tx.delete(chatAnnouncements).where(lte(chatAnnouncements.createdAtMs, nowMs - STALE_AFTER_MS));

/** Deletes announcements that nobody will post, because no chat is read and so nobody takes them. */
export async function pruneAnnouncements(db: Database, nowMs: number): Promise<void> {
  await db.transaction((tx) => deleteStale(tx, nowMs));
}

/**
 * Returns whether an announcement of a raffle is of use no more: it asks to enter one that has ended or was cancelled, or
 * tells a list of entries to which a newer one was published.
 */
async function outdatedIn(
  tx: Tx,
  announcedRaffles: readonly (RaffleAnnouncement | null)[],
  nowMs: number,
): Promise<(announced: RaffleAnnouncement | null) => boolean> {
  const ids = [...new Set(announcedRaffles.flatMap((each) => (isWhileRunning(each) ? each.raffleId : [])))];
  if (ids.length === 0) return () => false;
  const rows = await tx
    .select({ id: raffles.id, endsAtMs: raffles.endsAtMs, entries: max(raffleCheckpoints.number) })
    .from(raffles)
    .leftJoin(raffleCheckpoints, eq(raffleCheckpoints.raffleId, raffles.id))
    .where(and(inArray(raffles.id, ids), is(raffles.state, 'running')))
    .groupBy(raffles.id);
  const running = new Map(rows.map((row) => [row.id, row]));
  return (announced) => {
    if (!isWhileRunning(announced)) return false;
    const raffle = running.get(announced.raffleId);
    if (!raffle) return true;
    if (announced.kind === 'entered') return announced.entries < (raffle.entries ?? 0);
    return nowMs >= (raffle.endsAtMs ?? nowMs);
  };
}

const isWhileRunning = (
  announced: RaffleAnnouncement | null,
): announced is Extract<RaffleAnnouncement, { kind: 'started' | 'entered' | 'elsewhere' }> =>
  announced?.kind === 'started' || announced?.kind === 'entered' || announced?.kind === 'elsewhere';

/**
 * Takes up to `limit` waiting announcements for these channels, oldest first. The caller posts them once, or never if it
 * crashes, or puts them back. Stale announcements of all channels are deleted, and outdated ones of these.
 */
export async function takeAnnouncements(
  db: Database,
  { channelLogins, limit }: { channelLogins: readonly string[]; limit: number },
  nowMs: number,
): Promise<ChatAnnouncement[]> {
  const [any] = await db.read.select({ id: chatAnnouncements.id }).from(chatAnnouncements).limit(1);
  if (!any) return [];
  return db.transaction(async (tx) => {
    await deleteStale(tx, nowMs);
    const waiting = await tx
      .select({ announcement: chatAnnouncements, channelLogin: channels.login })
      .from(chatAnnouncements)
      .innerJoin(channels, eq(channels.id, chatAnnouncements.channelId))
      .orderBy(asc(chatAnnouncements.id));
    // Channels are filtered here: there are few announcements in two minutes, while an account may be in more
    // chats than a statement takes values.
    const logins = new Set(channelLogins);
    const ours = waiting.filter(({ channelLogin }) => logins.has(channelLogin));
    const announcedRaffles = ours.map(({ announcement }) => announcement.raffle);
    const isOutdated = await outdatedIn(tx, announcedRaffles, nowMs);
    const outdated = ours.filter(({ announcement }) => isOutdated(announcement.raffle));
    const rows = ours.filter((each) => !outdated.includes(each)).slice(0, limit);
    const ids = [...outdated, ...rows].map(({ announcement }) => announcement.id);
    if (ids.length === 0) return [];
    const taken = await tx
      .delete(chatAnnouncements)
      .where(inArray(chatAnnouncements.id, ids))
      .returning({ id: chatAnnouncements.id });
    const deleted = new Set(taken.map(({ id }) => id));
    return rows
      .filter(({ announcement }) => deleted.has(announcement.id))
      .map(({ announcement, channelLogin }) => ({ ...announcement, channelLogin }));
  });
}
