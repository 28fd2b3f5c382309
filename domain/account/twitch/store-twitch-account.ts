import { eq, or } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';
import { resumeRulesOf } from '#domain/rule/pause-rules.ts';
import type { Vault } from '#domain/vault.ts';
import { sealGrant, type TwitchGrant, type TwitchPerson } from './twitch-grant.ts';

type Account = typeof twitchAccounts.$inferSelect;
export interface TwitchLink {
  vault: Vault;
  userId: string;
  person: TwitchPerson;
  grant: TwitchGrant;
}

/**
 * Writes what Twitch told of a person and keeps the more useful grant: signing in asks for less than streaming needs,
 * and must not take away what the bot works with. What waited for the link goes on: rules on this channel, the person's
 * rules on others, and the viewer's own earlier watching. Refused when either side is linked to someone else already.
 * Whoever commits this evaluates the rules that it opened.
 */
export async function storeTwitchAccount(
  tx: Tx,
  link: TwitchLink,
  nowMs: number,
): Promise<
  Outcome<{ openedRuleIds: string[] }, AccountCodeOf<'twitchLinkedElsewhere' | 'otherTwitchLinked'>>
> {
  const { vault, userId, person, grant } = link;
  const { twitchId, login, displayName, pictureUrl } = person;
  const sealed = sealGrant(vault, grant, `twitch:${twitchId}`);
  const row = { twitchId, userId, login, displayName, pictureUrl, ...sealed, linkedAtMs: nowMs };
  await tx.insert(twitchAccounts).values(row).onConflictDoNothing();
  // Written or not, the rows that stand now decide; a link made at the same moment is among them.
  const accounts = await tx
    .select()
    .from(twitchAccounts)
    .where(or(eq(twitchAccounts.twitchId, twitchId), eq(twitchAccounts.userId, userId)));
  if (accounts.some((each) => each.twitchId === twitchId && each.userId !== userId))
    return refuse('twitchLinkedElsewhere');
  const account = accounts.find((each) => each.twitchId === twitchId);
  if (!account) return refuse('otherTwitchLinked');
  const better = isWorthTaking(account, grant)
    ? { ...sealed, state: 'connected' as const }
    : { scopes: account.scopes };
  await tx
    .update(twitchAccounts)
    .set({ login, displayName, pictureUrl, ...better })
    .where(eq(twitchAccounts.twitchId, twitchId));
  await storeChannel(tx, person, nowMs);
  const onChannel = await resumeRulesOf(tx, { channelId: twitchId, reason: 'lostPermission' }, nowMs);
  const elsewhere = await resumeRulesOf(tx, { ownerId: userId, reason: 'lostPermission' }, nowMs);
  await evaluateViewer(tx, { twitchId }, nowMs);
  return done({ openedRuleIds: [...onChannel, ...elsewhere] });
}

/** A dead grant is worth less than any; a live one goes only for one that permits all that it permits. */
const isWorthTaking = (account: Account, grant: TwitchGrant): boolean =>
  account.state === 'restricted' || account.scopes.every((scope) => grant.scopes.includes(scope));

/** Everyone on Twitch has a channel; whether it streams is the tracker's to say. */
async function storeChannel(tx: Tx, person: TwitchPerson, nowMs: number): Promise<void> {
  const { twitchId: id, login, displayName, pictureUrl } = person;
  await tx
    .insert(channels)
    .values({ id, login, displayName, pictureUrl, lastSeenAtMs: nowMs })
    .onConflictDoUpdate({ target: channels.id, set: { login, displayName, pictureUrl } });
}
