import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';

/**
 * Forgets a channel whose owner is nobody's here any more: the row goes when no rule refers to it. Where one does, it
 * stays as it was, or, with `calledNow`, under that name and its bare id alone.
 */
export async function forgetChannel(tx: Tx, input: { channelId: string; calledNow?: string }): Promise<void> {
  const { channelId: id, calledNow } = input;
  if ((await tx.$count(rules, eq(rules.channelId, id))) === 0) {
    await tx.delete(channels).where(eq(channels.id, id));
    return;
  }
  if (calledNow === undefined) return;
  const nameless = { login: '', displayName: calledNow, pictureUrl: '', gameName: '', title: '' };
  await tx
    .update(channels)
    .set({ ...nameless, live: false, streamId: null, streamStartedAtMs: null })
    .where(eq(channels.id, id));
}
