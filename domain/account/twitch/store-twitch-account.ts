import { eq, or } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isAsCapable } from '#domain/identity/twitch/twitch-scopes.ts';
import { lockChannels } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { endRaffleOn } from '#domain/raffle/cancel-raffle.ts';
import { isInUse } from '#domain/rule/channel-use.ts';
import { findRulesMet } from '#domain/rule/evaluate-viewer.ts';
import { resumeRulesOf } from '#domain/rule/pause-rules.ts';
import { take } from '#domain/rule/qualify.ts';
import { sealGrant, type TwitchGrant, type TwitchPerson } from './twitch-grant.ts';

type Account = typeof twitchAccounts.$inferSelect;
export interface TwitchLink {
  vault: Vault;
  userId: string;
  person: TwitchPerson;
  grant: TwitchGrant;
}

/**
 * Stores a Twitch profile and keeps the more capable grant: signing in requests fewer scopes than streaming needs and
 * must not downgrade the bot's grant, nor hide that it died. Resumes what waited for the link: rules on this channel,
 * the user's rules elsewhere, and the viewer's earlier watch time. Refused if either side is linked to someone else.
 * After committing, the caller evaluates the reopened rules.
 */
export async function storeTwitchAccount(
  tx: Tx,
  link: TwitchLink,
  nowMs: number,
): Promise<
  Outcome<
    { openedRuleIds: string[]; isNew: boolean },
    AccountCodeOf<'twitchLinkedElsewhere' | 'otherTwitchLinked'>
  >
> {
  const { vault, userId, person, grant } = link;
  const { twitchId, login, displayName, pictureUrl } = person;
  const sealed = sealGrant(vault, grant, `twitch:${twitchId}`);
  const row = { twitchId, userId, login, displayName, pictureUrl, ...sealed, linkedAtMs: nowMs };
  const added = await tx
    .insert(twitchAccounts)
    .values(row)
    .onConflictDoNothing()
    .returning({ twitchId: twitchAccounts.twitchId });
  // The stored rows decide, whether or not our insert won; they include a concurrent link.
  const accounts = await tx
    .select()
    .from(twitchAccounts)
    .where(or(eq(twitchAccounts.twitchId, twitchId), eq(twitchAccounts.userId, userId)));
  if (accounts.some((each) => each.twitchId === twitchId && each.userId !== userId))
    return refuse('twitchLinkedElsewhere');
  const account = accounts.find((each) => each.twitchId === twitchId);
  if (!account) return refuse('otherTwitchLinked');
  const better = (await isWorthTaking(tx, account, grant))
    ? { ...sealed, state: 'connected' as const }
    : { scopes: account.scopes };
  await tx
    .update(twitchAccounts)
    .set({ login, displayName, pictureUrl, missingSinceMs: null, ...better })
    .where(eq(twitchAccounts.twitchId, twitchId));
  await storeChannel(tx, person, nowMs);
  const isNew = added.length > 0;
  return done({ openedRuleIds: await resume(tx, { userId, twitchId, isNew }, nowMs), isNew });
}

/** Locks all channels at once, so that locks are always taken in the same order. */
async function resume(
  tx: Tx,
  { userId, twitchId, isNew }: { userId: string; twitchId: string; isNew: boolean },
  nowMs: number,
): Promise<string[]> {
  const met = await findRulesMet(tx, { twitchId }, nowMs);
  const alsoLocked = [...met.map(({ channelId }) => channelId), ...(isNew ? [twitchId] : [])];
  const anyOf = [{ channelId: twitchId }, { ownerId: userId }];
  const reason = ['lostPermission', 'channelMissing'] as const;
  const opened = await resumeRulesOf(tx, { anyOf, reason, alsoLocked }, nowMs);
  const held = await lockChannels(tx, alsoLocked);
  // An earlier owner's, if the link went some other way than by unlinking.
  if (isNew) await endRaffleOn(held, twitchId, nowMs);
  await take(held, met, nowMs);
  return opened;
}

/**
 * Returns whether a grant should replace the stored one because it allows all that the stored one does. A
 * dead grant is also replaced by a lesser one once its channel is not in use; until then it shows what its
 * owner has to allow again.
 */
const isWorthTaking = async (tx: Tx, account: Account, grant: TwitchGrant): Promise<boolean> =>
  isAsCapable(grant.scopes, account.scopes) ||
  (account.state === 'restricted' && !(await isInUse(tx, account.twitchId)));

/** Stores the channel that every Twitch user has; the tracker finds out whether it is live. */
async function storeChannel(tx: Tx, person: TwitchPerson, nowMs: number): Promise<void> {
  const { twitchId: id, email: _, ...facts } = person;
  await tx
    .insert(channels)
    // A channel that was known before keeps what its broadcaster chose.
    .values({ id, ...facts, lastSeenAtMs: nowMs, announcesPromises: true })
    .onConflictDoUpdate({ target: channels.id, set: facts });
}
