import type { Tx } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { insertManyInto } from '#db/write.ts';
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

/** One thing to tell one user's pages. */
export interface Announced {
  userId: string;
  kind: Announcement;
  subjectId: string;
}

const insertEvents = insertManyInto(events, 'events');

/** Tells the live pages of users, when the transaction commits, that something of theirs changed. */
export async function announce(tx: Tx, news: readonly Announced[], nowMs: number): Promise<void> {
  await insertEvents(
    tx,
    news.map((each) => ({ id: newId(nowMs), atMs: nowMs, ...each })),
  );
}
