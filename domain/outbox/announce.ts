import type { Tx } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { insertInto } from '#db/write.ts';
import { newId } from '#domain/id.ts';

/** What a live page can be told; the page reads the rest for itself. */
export const announcements = [
  'reward.changed',
  'rule.changed',
  'transfer.changed',
  'items.changed',
  'account.changed',
  'channel.changed',
] as const;
export type Announcement = (typeof announcements)[number];

const insertEvent = insertInto(events, 'event');

/** Tells the live pages of users, when the transaction commits, that something of theirs changed. */
export async function announce(
  tx: Tx,
  news: readonly { userId: string; kind: Announcement; subjectId: string }[],
  nowMs: number,
): Promise<void> {
  for (const each of news) await insertEvent(tx, { id: newId(nowMs), atMs: nowMs, ...each });
}
