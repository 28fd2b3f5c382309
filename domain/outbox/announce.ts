import type { Answer, Tx } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/id.ts';

/** Kinds of changes announced to live pages, which then reload their data. */
export const announcements = [
  'reward.changed',
  'rule.changed',
  'transfer.changed',
  'items.changed',
  'account.changed',
  'channel.changed',
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
export const announce = (tx: Tx, announced: readonly Announced[], nowMs: number): Answer<unknown> =>
  insertEvents(
    tx,
    announced.map((each) => ({ id: newId(nowMs), atMs: nowMs, ...each })),
  );
