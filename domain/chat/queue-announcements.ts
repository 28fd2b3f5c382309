import type { Tx } from '#db/database.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';

/** At most this many viewers are named; the rest are only counted. */
const MAX_NAMES = 5;

const insertAnnouncements = insertManyInto(chatAnnouncements, 'chat_announcements');

/** Queues chat announcements of new promises in their own transaction, for channels that enable them. */
export async function queueAnnouncements(
  tx: Tx,
  promised: readonly {
    rule: { id: string; name: string; channelId: string; announces: boolean };
    viewer: { displayName: string };
  }[],
  nowMs: number,
): Promise<void> {
  const announced = promised.filter(({ rule }) => rule.announces);
  const rules = new Map(announced.map(({ rule }) => [rule.id, rule]));
  const rows = [...rules.values()].map((rule) => {
    const names = announced
      .filter((each) => each.rule.id === rule.id)
      .map(({ viewer }) => viewer.displayName);
    return {
      id: newId(nowMs),
      channelId: rule.channelId,
      names: names.slice(0, MAX_NAMES),
      others: Math.max(0, names.length - MAX_NAMES),
      ruleName: rule.name,
      createdAtMs: nowMs,
    };
  });
  await insertAnnouncements(tx, rows);
}

/** Queues a line about an open rule for the chat of its channel. */
export async function queueLine(
  tx: Tx,
  { channelId, ruleName, line }: { channelId: string; ruleName: string; line: string },
  nowMs: number,
): Promise<void> {
  const row = { id: newId(nowMs), channelId, names: [], others: 0, ruleName, line, createdAtMs: nowMs };
  await insertAnnouncements(tx, [row]);
}
