import type { Tx } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { newId } from '#domain/id.ts';

/** What a live page can be told; the page reads the rest for itself. */
export type Announcement =
  | 'reward.changed'
  | 'rule.changed'
  | 'transfer.changed'
  | 'items.changed'
  | 'account.changed'
  | 'channel.changed';

/** Tells the live pages of one or more users, when the transaction commits, that something of theirs changed. */
export async function announce(
  tx: Tx,
  news: readonly { userId: string; kind: Announcement; subjectId: string }[],
  nowMs: number,
): Promise<void> {
  if (news.length === 0) return;
  await tx.insert(events).values(news.map((each) => ({ id: newId(nowMs), atMs: nowMs, ...each })));
}
