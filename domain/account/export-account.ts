import { and, asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { billingActs, checkouts, subscriptions, trials } from '#db/schema/billing.ts';
import { channelGuests, channels, excludedLogins } from '#db/schema/channel.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { draws } from '#db/schema/draw.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { overlays } from '#db/schema/overlay.ts';
import { raffleEntries, raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { isChannelHidden } from '#domain/channel/channel-visibility.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';
import { listGuests } from '#domain/channel/list-guests.ts';
import { conditionColumns, listViewerRecords } from '#domain/condition/conditions.ts';
import { listApiTokens } from '#domain/identity/access/list-api-tokens.ts';
import { findPendingEmail } from '#domain/identity/email/find-pending-email.ts';
import { getSecondFactor } from '#domain/identity/second-factor/get-second-factor.ts';
import { getSendDelay } from '#domain/identity/send-delay.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import { mutedIn } from '#domain/outbox/mail-kinds.ts';
import { listPushDevices } from '#domain/push/push-devices.ts';
import { ofNoRaffle } from '#domain/rule/of-no-raffle.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';

const version = '1.0';

/**
 * Exports all data stored about a user, without secrets (passwords, tokens, trade tokens), because downloaded files
 * spread. Times are ISO 8601 in UTC.
 */
export async function exportAccount(db: Database, input: { userId: string }, nowMs: number) {
  const { userId } = input;
  const [user] = await db.read.select().from(users).where(eq(users.id, userId));
  if (!user) throw new Error(`no user ${userId}`);
  return readable({
    format: 'keepsake-account',
    version,
    exportedAtMs: nowMs,
    account: {
      id: user.id,
      name: user.name,
      email: user.email,
      emailVerifiedAtMs: user.emailVerifiedAtMs,
      emailToConfirm: await findPendingEmail(db, { userId }, nowMs),
      hasPassword: user.passwordHash !== null,
      language: user.locale,
      theme: user.theme,
      notifyByMail: user.notifyByMail,
      mutedMails: mutedIn(user.mutedMails),
      timeZone: user.timeZone,
      hidesName: user.hidesName,
      sendDelay: await getSendDelay(db.read, userId, nowMs),
      createdAtMs: user.createdAtMs,
      frozenAtMs: user.frozenAtMs,
      disownedFromMs: user.disownedFromMs,
    },
    consent: {
      termsAcceptedAtMs: user.createdAtMs,
      cookies:
        "The choice about cookies is kept in each browser's own storage and is not known to the server.",
    },
    links: await linksOf(db, userId),
    channel: await channelOf(db, userId),
    overlay: await overlayOf(db, userId),
    rules: await rulesOf(db, userId),
    ...(await admissionsOf(db, userId)),
    items: await itemsOf(db, userId),
    transfers: await transfersOf(db, userId),
    rewards: await rewardsOf(db, userId),
    waitingLists: await waitingListsOf(db, userId),
    ...(await rafflesOf(db, userId)),
    ...(await listViewerRecords(db.read, userId)),
    sessions: (await listSessions(db, { userId, currentToken: null }, nowMs)).map(
      ({ userAgent, createdAtMs, lastSeenAtMs }) => ({ userAgent, createdAtMs, lastSeenAtMs }),
    ),
    secondFactor: await getSecondFactor(db.read, { userId }),
    apiTokens: (await listApiTokens(db, { userId })).map(({ id: _, ...token }) => token),
    pushDevices: (await listPushDevices(db.read, { userId, sessionHash: null })).map(
      ({ id: _, isHere: __, ...device }) => device,
    ),
    messages: await messagesOf(db, userId),
    ...(await billingOf(db, userId)),
  });
}

async function linksOf(db: Database, userId: string) {
  const [twitch = null] = await db.read
    .select({
      twitchId: twitchAccounts.twitchId,
      login: twitchAccounts.login,
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      permissions: twitchAccounts.scopes,
      state: twitchAccounts.state,
      linkedAtMs: twitchAccounts.linkedAtMs,
    })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.userId, userId));
  const [steam] = await db.read.select().from(steamAccounts).where(eq(steamAccounts.userId, userId));
  if (!steam) return { twitch, steam: null };
  const { steamId, personaName, tradeToken, linkedAtMs } = steam;
  return { twitch, steam: { steamId, personaName, hasTradeLink: tradeToken !== null, linkedAtMs } };
}

/** The settings of the user's own channel. */
async function channelOf(db: Database, userId: string) {
  const channelId = await findChannelOf(db.read, userId);
  if (channelId === null) return null;
  const excluded = await db.read
    .select({ login: excludedLogins.login })
    .from(excludedLogins)
    .where(eq(excludedLogins.channelId, channelId))
    .orderBy(asc(excludedLogins.login));
  const chat = await getChatSettings(db.read, channelId);
  return {
    channelId,
    chatLanguage: chat?.chatLocale ?? null,
    announcesPromises: chat?.announcesPromises ?? false,
    chatCommands: chat?.commands ?? null,
    hidden: await isChannelHidden(db.read, channelId),
    excludedLogins: excluded.map(({ login }) => login),
  };
}

/** The looks of the user's overlay, without the secrets in its addresses; null if they have none. */
async function overlayOf(db: Database, userId: string) {
  const { layout, ruleId, locale, isCalm, hasSound, stoppedAtMs, createdAtMs } = overlays;
  const [overlay] = await db.read
    .select({ layout, ruleId, language: locale, isCalm, hasSound, stoppedAtMs, createdAtMs })
    .from(overlays)
    .where(eq(overlays.userId, userId));
  return overlay ?? null;
}

/** The user's own raffles, and those in which they were. */
async function rafflesOf(db: Database, userId: string) {
  const { id, channelId, keyword, winners, state, createdAtMs, startedAtMs, endedAtMs } = raffles;
  const { lengthMs, winnersOutDays, moderatorsMayEnter } = raffles;
  const { claimTimeoutHours, sendDelayHours } = rules;
  const own = await db.read
    .select({
      ...{ id, channelId, keyword, winners, lengthMs, winnersOutDays, moderatorsMayEnter },
      ...{ ...conditionColumns, claimTimeoutHours, sendDelayHours },
      ...{ state, createdAtMs, startedAtMs, endedAtMs },
    })
    .from(raffles)
    .innerJoin(rules, eq(rules.id, raffles.ruleId))
    .where(eq(raffles.ownerId, userId))
    .orderBy(asc(id));
  const { raffleId, number, name, enteredAtMs, place, placeState } = raffleEntries;
  const entered = await db.read
    .select({ raffleId, channelId, keyword, number, name, enteredAtMs, place, placeState })
    .from(raffleEntries)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, raffleEntries.twitchId))
    .innerJoin(raffles, eq(raffles.id, raffleId))
    .where(eq(twitchAccounts.userId, userId))
    .orderBy(asc(raffleId));
  return { raffles: own, raffleEntries: entered };
}

/** Channels the user may run rules on, and guests admitted to theirs. */
async function admissionsOf(db: Database, userId: string) {
  const hostChannels = await db.read
    .select({
      channelId: channelGuests.channelId,
      channel: channels.login,
      admittedAtMs: channelGuests.admittedAtMs,
    })
    .from(channelGuests)
    .innerJoin(channels, eq(channels.id, channelGuests.channelId))
    .where(eq(channelGuests.userId, userId))
    .orderBy(asc(channelGuests.channelId));
  const channelId = await findChannelOf(db.read, userId);
  const guests = channelId === null ? [] : await listGuests(db, { channelId });
  return { hostChannels, guests: guests.map(({ name, admittedAtMs }) => ({ name, admittedAtMs })) };
}

async function rulesOf(db: Database, userId: string) {
  const rows = await db.read
    .select({ rule: rules, channel: channels.login })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(and(eq(rules.ownerId, userId), ofNoRaffle(db.read)))
    .orderBy(asc(rules.id));
  // The seed breaks ties while the rule is open, so nobody may see it before.
  return rows.map(({ rule: { seed, ownerId: _, ...rule }, channel }) => ({
    ...rule,
    channel,
    ...(rule.state === 'closed' && { seed }),
  }));
}

async function itemsOf(db: Database, userId: string) {
  const rows = await db.read.select().from(items).where(eq(items.ownerId, userId)).orderBy(asc(items.id));
  const entries = await db.read
    .select({ entry: ledgerEntries })
    .from(ledgerEntries)
    .innerJoin(items, eq(items.id, ledgerEntries.itemId))
    .where(eq(items.ownerId, userId))
    .orderBy(asc(ledgerEntries.id));
  const ledger = gather(entries.map(({ entry: { id: _, itemId, ...entry } }) => [itemId, entry] as const));
  return rows.map(({ ownerId: _, ...item }) => ({ ...item, ledger: ledger.get(item.id) ?? [] }));
}

async function transfersOf(db: Database, userId: string) {
  const own = eq(transfers.userId, userId);
  const rows = await db.read.select().from(transfers).where(own).orderBy(asc(transfers.id));
  const moved = await db.read
    .select({
      transferId: transferItems.transferId,
      appId: transferItems.appId,
      assetId: transferItems.assetId,
      name: transferItems.name,
    })
    .from(transferItems)
    .innerJoin(transfers, eq(transfers.id, transferItems.transferId))
    .where(own);
  const taken = await db.read
    .select({ transferId: transferSteps.transferId, state: transferSteps.state, atMs: transferSteps.atMs })
    .from(transferSteps)
    .innerJoin(transfers, eq(transfers.id, transferSteps.transferId))
    .where(own)
    .orderBy(asc(transferSteps.id));
  const itemsIn = gather(moved.map(({ transferId, ...item }) => [transferId, item] as const));
  const stepsIn = gather(taken.map(({ transferId, ...step }) => [transferId, step] as const));
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    state: row.state,
    bot: row.botId,
    rewardId: row.rewardId,
    partnerSteamId: row.partnerSteamId,
    securityCode: row.securityCode,
    offerId: row.offerId,
    createdAtMs: row.createdAtMs,
    sentAtMs: row.sentAtMs,
    expiresAtMs: row.expiresAtMs,
    acceptedAtMs: row.acceptedAtMs,
    settlesAtMs: row.settlesAtMs,
    items: itemsIn.get(row.id) ?? [],
    steps: stepsIn.get(row.id) ?? [],
  }));
}

const rewardsOf = (db: Database, userId: string) =>
  db.read
    .select({
      id: rewards.id,
      state: rewards.state,
      rule: rules.name,
      channel: channels.login,
      item: items.name,
      promisedAtMs: rewards.promisedAtMs,
      claimUntilMs: rewards.claimUntilMs,
      claimedAtMs: rewards.claimedAtMs,
      winSeenAtMs: rewards.winSeenAtMs,
      steamId: rewards.steamId,
      recallReason: rewards.recallReason,
      ruleId: rewards.ruleId,
      drawNumber: draws.number,
    })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(draws, eq(draws.rewardId, rewards.id))
    .where(eq(rewards.userId, userId))
    .orderBy(asc(rewards.id));

/** Rules the linked Twitch id has met, and since when; promises are listed with the rewards. */
const waitingListsOf = (db: Database, userId: string) =>
  db.read
    .select({
      ruleId: qualifications.ruleId,
      rule: rules.name,
      channel: channels.login,
      metAtMs: qualifications.qualifiedAtMs,
      promisedAtMs: qualifications.promisedAtMs,
    })
    .from(qualifications)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, qualifications.twitchId))
    .innerJoin(rules, eq(rules.id, qualifications.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(eq(twitchAccounts.userId, userId))
    .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.ruleId));

const messagesOf = (db: Database, userId: string) =>
  db.read
    .select({
      name: contactMessages.name,
      email: contactMessages.email,
      message: contactMessages.message,
      createdAtMs: contactMessages.createdAtMs,
    })
    .from(contactMessages)
    .where(eq(contactMessages.userId, userId))
    .orderBy(asc(contactMessages.id));

/** Subscriptions, checkouts and what Stripe was asked to do, with Stripe's ids; Stripe keeps payments and invoices. */
async function billingOf(db: Database, userId: string) {
  const stripeCustomerId = await findCustomerId(db.read, userId);
  const rows = await db.read
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.userId, userId))
    .orderBy(asc(subscriptions.id));
  const bought = await db.read
    .select()
    .from(checkouts)
    .where(eq(checkouts.userId, userId))
    .orderBy(asc(checkouts.id));
  const had = await db.read
    .select({ product: trials.product, takenAtMs: trials.takenAtMs })
    .from(trials)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, trials.twitchId))
    .where(eq(twitchAccounts.userId, userId))
    .orderBy(asc(trials.takenAtMs));
  const asked = await db.read
    .select()
    .from(billingActs)
    .where(eq(billingActs.userId, userId))
    .orderBy(asc(billingActs.wantedAtMs));
  return {
    stripeCustomerId,
    premiumSubscriptions: rows.map(({ userId: _, ...row }) => row),
    checkouts: bought.map(({ userId: _, ...row }) => row),
    trials: had,
    billingActs: asked.map(({ userId: _, ...row }) => row),
  };
}

function gather<Row>(pairs: readonly (readonly [string, Row])[]): Map<string, Row[]> {
  const gathered = new Map<string, Row[]>();
  for (const [key, row] of pairs) gathered.set(key, [...(gathered.get(key) ?? []), row]);
  return gathered;
}

/** Converts every `…AtMs` and `…UntilMs` to ISO 8601. */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key.endsWith('Ms') && (typeof inner === 'number' || inner === null)
        ? [key.slice(0, -2), inner === null ? null : new Date(inner).toISOString()]
        : [key, readable(inner)],
    ),
  );
}
