import { and, asc, eq, isNull } from 'drizzle-orm';
import { type Database, holdLock, type Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { checkouts, liveSubscriptionStates, subscriptions } from '#db/schema/billing.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { raffleEntries } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, qualifications, rules } from '#db/schema/rule.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { deleteChannel } from '#domain/account/delete-channel.ts';
import { deletedName, erasePerson } from '#domain/account/erase-person.ts';
import { openGrant } from '#domain/account/twitch/twitch-grant.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { eraseViewerRecords } from '#domain/condition/conditions.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isIdentityConfirmed } from '#domain/identity/password/is-identity-confirmed.ts';
import {
  billingLock,
  type ChannelTx,
  depositsLock,
  type ItemsTx,
  itemsLock,
  lockChannels,
} from '#domain/kernel/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { endRaffleOn } from '#domain/raffle/cancel-raffle.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { reofferItem } from '#domain/reward/reoffer-item.ts';
import { closeRuleIn } from '#domain/rule/close-rule.ts';
import { changePauseReason, pauseRulesOf } from '#domain/rule/pause-rules.ts';

type Code = AccountCodeOf<'passwordWrong' | 'transfersLive' | 'itemsHeld' | 'subscriptionLive'>;
type Deleted = Outcome<{ accessToken: string | null }, Code>;

/**
 * Deletes an account: personal data is erased, while the ledger and history stay under the bare id. The
 * Twitch id stays with promises and the SteamID with offers and claims, so that no one receives a reward
 * twice. Refused while trade offers are in progress, our bots hold the user's items, or a subscription or a
 * checkout could still charge them: the caller ends those first, and waits for Stripe's confirmation. `proof`
 * is the password, or the email address of an account without one. Returns the Twitch token for the caller to
 * revoke.
 */
export async function deleteAccount(
  db: Database,
  input: { vault: Vault; userId: string; proof: string },
  nowMs: number,
): Promise<Deleted> {
  const { vault, userId, proof } = input;
  const [user] = await db.read
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAtMs)));
  if (!user) throw new Error(`no user ${userId}`);
  if (!(await isIdentityConfirmed(db.read, { userId, proof }))) return refuse('passwordWrong');
  return refusable<Deleted, Code>(() =>
    db.transaction(
      async (tx) => {
        await takeLeave(tx, userId, nowMs);
        // A deposit or a return that begins meanwhile waits for the outcome.
        await refuseWhileBusy(await holdLock(tx, itemsLock(userId)), userId);
        const accessToken = await unlinkAll(tx, { vault, userId });
        await deleteChannels(tx, userId);
        await erasePerson(tx, { userId, email: user.email }, nowMs);
        return done({ accessToken });
      },
      { lock: depositsLock },
    ),
  );
}

/** Closes the user's rules, releases their promised rewards to the next viewers, and ends admissions. */
async function takeLeave(tx: Tx, userId: string, nowMs: number): Promise<void> {
  const promised = await tx
    .select({ id: rewards.id, channelId: rules.channelId })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(and(eq(rewards.userId, userId), is(rewards.state, 'promised')))
    .orderBy(asc(rules.channelId));
  const own = await tx
    .select({ id: rules.id, channelId: rules.channelId })
    .from(rules)
    .where(and(eq(rules.ownerId, userId), within(rules.state, liveRuleStates)));
  const channelId = await findChannelOf(tx, userId);
  const concerned = [...promised, ...own, ...(channelId ? [{ channelId }] : [])];
  const held = await lockChannels(
    tx,
    concerned.map((each) => each.channelId),
  );
  for (const { id } of own) await closeRuleIn(held, id, nowMs);
  for (const { id } of promised) {
    const recalled = await advanceReward(held, id, 'revoked', { recallReason: 'accountDeleted' }, nowMs);
    if (recalled) await reofferItem(held, recalled, nowMs);
  }
  await leaveGuests(held, { userId, channelId }, nowMs);
}

/** Removes admissions given to and by the user, and ends the raffle of their channel. */
async function leaveGuests(
  tx: ChannelTx,
  { userId, channelId }: { userId: string; channelId: string | null },
  nowMs: number,
): Promise<void> {
  if (channelId) {
    await pauseRulesOf(tx, { channelId, reason: 'lostPermission' }, nowMs);
    await changePauseReason(tx, { channelId, from: 'channelMissing', to: 'lostPermission' });
    await endRaffleOn(tx, channelId, nowMs);
    await tx.delete(channelGuests).where(eq(channelGuests.channelId, channelId));
  }
  await tx.delete(channelGuests).where(eq(channelGuests.userId, userId));
}

/** Thrown so that the whole deletion rolls back. */
async function refuseWhileBusy(tx: ItemsTx, userId: string): Promise<void> {
  const live = and(eq(transfers.userId, userId), within(transfers.state, liveTransferStates));
  if ((await tx.$count(transfers, live)) > 0) throw new Refused('transfersLive');
  const held = and(eq(items.ownerId, userId), within(items.state, inCustody));
  if ((await tx.$count(items, held)) > 0) throw new Refused('itemsHeld');
  await holdLock(tx, billingLock(userId));
  const paying = and(eq(subscriptions.userId, userId), within(subscriptions.state, liveSubscriptionStates));
  const buying = and(eq(checkouts.userId, userId), is(checkouts.state, 'open'));
  if ((await tx.$count(subscriptions, paying)) + (await tx.$count(checkouts, buying)) > 0)
    throw new Refused('subscriptionLive');
}

/** Unlinks Twitch and Steam and deletes what was counted for the Twitch account; its promises stay recorded. */
async function unlinkAll(
  tx: Tx,
  { vault, userId }: { vault: Vault; userId: string },
): Promise<string | null> {
  await tx.delete(steamAccounts).where(eq(steamAccounts.userId, userId));
  await tx.update(transfers).set({ tradeToken: '' }).where(eq(transfers.userId, userId));
  const [twitch] = await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, userId)).returning();
  if (!twitch) return null;
  const { twitchId } = twitch;
  await deleteChannel(tx, { channelId: twitchId, calledNow: deletedName });
  await eraseViewerRecords(tx, twitchId);
  await tx.update(raffleEntries).set({ name: null }).where(eq(raffleEntries.twitchId, twitchId));
  await tx
    .delete(qualifications)
    .where(and(eq(qualifications.twitchId, twitchId), isNull(qualifications.promisedAtMs)));
  return openGrant(vault, twitch, `twitch:${twitchId}`).accessToken;
}

/** An earlier, unlinked channel may still have the user's rules, and may belong to someone else by now. */
async function deleteChannels(tx: Tx, userId: string): Promise<void> {
  const left = await tx
    .selectDistinct({ channelId: rules.channelId })
    .from(rules)
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rules.channelId))
    .where(and(eq(rules.ownerId, userId), isNull(twitchAccounts.userId)));
  for (const { channelId } of left) await deleteChannel(tx, { channelId, calledNow: deletedName });
}
