import { and, eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { locking } from '#db/dialect.ts';
import { channelDays, channelGuests, channels, excludedLogins, watchTimes } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { lastCountedMs, watched } from '#domain/watch-time/watched.ts';

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
    await letAllLeave(tx, id);
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

/** Gives those present what they have watched by the clock of the channel, which goes with its row. */
async function letAllLeave(tx: Tx, id: string): Promise<void> {
  // A reading of its chat ends before, or finds no channel.
  await locking(tx.select({ id: channels.id }).from(channels).where(eq(channels.id, id)));
  await tx
    .update(watchTimes)
    .set({ seconds: watched, countedUntilMs: lastCountedMs, since: null, crossAt: null })
    .where(and(eq(watchTimes.channelId, id), isNotNull(watchTimes.since)));
}

async function isReferredTo(tx: Tx, id: string): Promise<boolean> {
  for (const table of [rules, channelGuests, excludedLogins])
    if ((await tx.$count(table, eq(table.channelId, id))) > 0) return true;
  return false;
}
