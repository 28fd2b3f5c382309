import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { channelGuests, channels, excludedLogins } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';

/**
 * Forgets a channel whose owner is nobody's here any more: the row goes when no rule refers to it. Where one does, it
 * stays as it was, or, with `calledNow`, under that name and its bare id alone. Without `calledNow` its owner may come
 * back, so that what they chose for it, guests and excluded names, keeps it too.
 */
export async function deleteChannel(tx: Tx, input: { channelId: string; calledNow?: string }): Promise<void> {
  const { channelId: id, calledNow } = input;
  await tx.delete(chatAnnouncements).where(eq(chatAnnouncements.channelId, id));
  if (calledNow !== undefined) {
    await tx.delete(channelGuests).where(eq(channelGuests.channelId, id));
    await tx.delete(excludedLogins).where(eq(excludedLogins.channelId, id));
  }
  if (!(await isReferredTo(tx, id))) {
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

async function isReferredTo(tx: Tx, id: string): Promise<boolean> {
  for (const table of [rules, channelGuests, excludedLogins])
    if ((await tx.$count(table, eq(table.channelId, id))) > 0) return true;
  return false;
}
