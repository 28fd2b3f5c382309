import type { Tx } from '#db/database.ts';
import { chatNews } from '#db/schema/twitch.ts';
import { newId } from '#domain/id.ts';
import type { ServedRule, Waiting } from '#domain/reward/waiting-list.ts';

/** So many viewers are named; of the rest only how many they are is told. */
const MOST_NAMES = 5;

/** Writes into the promises' own transaction who got one, for a channel that wants it told in its chat. */
export async function tellChat(
  tx: Tx,
  rule: Pick<ServedRule, 'name' | 'channelId' | 'announces'>,
  served: readonly Pick<Waiting, 'displayName'>[],
  nowMs: number,
): Promise<void> {
  if (!rule.announces || served.length === 0) return;
  await tx.insert(chatNews).values({
    id: newId(nowMs),
    channelId: rule.channelId,
    names: served.slice(0, MOST_NAMES).map(({ displayName }) => displayName),
    others: Math.max(0, served.length - MOST_NAMES),
    ruleName: rule.name,
    createdAtMs: nowMs,
  });
}
