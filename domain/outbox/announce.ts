import type { Answer, Tx } from '#db/database.ts';
import { witnessCommit } from '#db/engine/pooled-transactions.ts';
import { events } from '#db/schema/outbox.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';

/** Kinds of changes announced to live pages, which then reload their data. */
export const announcements = [
  'reward.changed',
  'rule.changed',
  'transfer.changed',
  'items.changed',
  'account.changed',
  'channel.changed',
  'overlay.changed',
  'overlay.tested',
] as const;
export type Announcement = (typeof announcements)[number];

/** A change announced to one user's live pages. */
export interface Announced {
  userId: string;
  kind: Announcement;
  subjectId: string;
}

const insertEvents = insertManyInto(events, 'events');

/** Announces changes to users' live pages when the transaction commits. */
export function announce(tx: Tx, announced: readonly Announced[], nowMs: number): Answer<unknown> {
  const rows = announced.map((each) => ({ id: newId(nowMs), atMs: nowMs, ...each }));
  witnessCommit(tx, rows[0]?.id);
  return insertEvents(tx, rows);
}
