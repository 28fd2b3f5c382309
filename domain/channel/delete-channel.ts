import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { channelDays, channelGuests, channels, excludedLogins } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';

/**
 * Deletes the channel of a user who left, if no rule refers to it. Otherwise the row stays: unchanged, or,
 * with `calledNow`, reduced to that name and its id. Without `calledNow` the owner may return, so settings,
 * guests, excluded logins and the numbers of its days are kept.
 */
export async function deleteChannel(tx: Tx, input: { channelId: string; calledNow?: string }): Promise<void> {
  const { channelId: id, calledNow } = input;
  await tx.delete(chatAnnouncements).where(eq(chatAnnouncements.channelId, id));
  if (calledNow !== undefined) {
    await tx.delete(channelGuests).where(eq(channelGuests.channelId, id));
    await tx.delete(excludedLogins).where(eq(excludedLogins.channelId, id));
    await tx.delete(channelDays).where(eq(channelDays.channelId, id));
  }
  if (!(await isReferredTo(tx, id))) {
    await tx.delete(channels).where(eq(channels.id, id));
    return;
  }
  if (calledNow === undefined) return;
  const nameless = { login: '', displayName: calledNow, pictureUrl: '', gameName: '', title: '' };
  await tx
    .update(channels)
    .set({
      ...nameless,
      ...{ live: false, streamId: null, streamStartedAtMs: null },
      ...{ openWatchSeconds: 0, openLiveSeconds: 0 },
    })
    .where(eq(channels.id, id));
}

async function isReferredTo(tx: Tx, id: string): Promise<boolean> {
  for (const table of [rules, channelGuests, excludedLogins])
    if ((await tx.$count(table, eq(table.channelId, id))) > 0) return true;
  return false;
}
