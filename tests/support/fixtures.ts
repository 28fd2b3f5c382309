import type { Database } from '#db/database.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import type { Asset } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { channels } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';
import { checkClaim } from '#domain/claim/check-claim.ts';
import { listClaimsToCheck } from '#domain/claim/list-claims-to-check.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { createRule, type RuleDraft } from '#domain/rule/create-rule.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { nothingAsked } from '#tests/support/conditions.ts';

/** The time at which every test starts. */
export const START_MS = Date.UTC(2026, 0, 5, 12);

let numbers = 0;
/** A number unique among this process's fixtures. */
export const nextNumber = (): number => ++numbers;

export const steamIdOf = (number: number): string => String(76561197960265728n + BigInt(10_000 + number));

export interface Person {
  userId: string;
  twitchId: string;
  steamId: string;
}

/** A verified user with linked Twitch and Steam accounts and a trade link. */
export async function addPerson(
  db: Database,
  facts: {
    verified?: boolean;
    tradeToken?: string | null;
    steam?: boolean;
    scopes?: string[];
    nowMs?: number;
  } = {},
): Promise<Person> {
  const number = nextNumber();
  const nowMs = facts.nowMs ?? START_MS;
  const person = { userId: newId(nowMs), twitchId: String(50_000 + number), steamId: steamIdOf(number) };
  await db.transaction(async (tx) => {
    await tx.insert(users).values({
      id: person.userId,
      name: `Demo person ${number}`,
      email: `person-${number}@example.org`,
      emailVerifiedAtMs: facts.verified === false ? null : nowMs,
      createdAtMs: nowMs,
    });
    await tx.insert(twitchAccounts).values({
      twitchId: person.twitchId,
      userId: person.userId,
      login: `demo_person_${number}`,
      displayName: `Demo_Person_${number}`,
      accessTokenSealed: 'sealed',
      refreshTokenSealed: 'sealed',
      scopes: facts.scopes ?? [],
      tokenObtainedAtMs: nowMs,
      tokenLifetimeSeconds: 14_400,
      linkedAtMs: nowMs,
    });
    if (facts.steam === false) return;
    await tx.insert(steamAccounts).values({
      steamId: person.steamId,
      userId: person.userId,
      tradeToken: facts.tradeToken === undefined ? 'tokenABC' : facts.tradeToken,
      linkedAtMs: nowMs - 30 * day,
    });
  });
  return person;
}

/** A person who can give rewards: extended permissions and an offline channel. */
export async function addStreamer(db: Database): Promise<Person> {
  const streamer = await addPerson(db, { scopes: [...streamerScopes] });
  await db.transaction(async (tx) => {
    await tx.insert(channels).values({
      id: streamer.twitchId,
      login: `demo_channel_${streamer.twitchId}`,
      displayName: `Demo channel ${streamer.twitchId}`,
      lastSeenAtMs: START_MS,
    });
  });
  return streamer;
}

/** A bot that is ready and stays alive however long the test takes, because nobody sends heartbeats for it. */
export async function addBot(db: Database, id = `bot-${nextNumber()}`): Promise<string> {
  await db.transaction(async (tx) => {
    await tx.insert(bots).values({
      id,
      steamId: steamIdOf(nextNumber()),
      state: 'ready',
      heartbeatAtMs: Date.now() + day,
      firstSeenAtMs: START_MS,
    });
  });
  return id;
}

/** A Steam asset of a kind, with a unique id. */
export function asset(marketHashName = 'Demo case', facts: Partial<Asset> = {}): Asset {
  return {
    appId: 730,
    contextId: '2',
    assetId: String(9_000_000 + nextNumber()),
    classId: '100',
    instanceId: '0',
    marketHashName,
    name: marketHashName,
    iconUrl: 'icon',
    typeLine: 'Base Grade Container',
    typeTag: 'CSGO_Type_WeaponCase',
    rarityTag: 'Rarity_Common',
    rarityColor: 'b0c3d9',
    exterior: '',
    ...facts,
  };
}

/** Deposits assets through all states: requested, leased, sent and accepted. Returns the transfer's id. */
export async function deposit(
  db: Database,
  streamer: Person,
  assets: Asset[],
  nowMs = START_MS,
): Promise<string> {
  const transferId = newId(nowMs);
  const requested = await requestDeposit(
    db,
    { requestId: transferId, userId: streamer.userId, assets },
    nowMs,
    Date.now(),
  );
  if (!requested.ok) throw new Error(`the deposit was refused: ${requested.code}`);
  await sendQueued(db, nowMs);
  await acceptOffer(db, transferId, assets, nowMs);
  return transferId;
}

/** Plays the bot for all queued transfers: claims are checked by stored facts, and each offer gets a new id. */
export async function sendQueued(db: Database, nowMs: number): Promise<{ id: string; offerId: string }[]> {
  const known = await db.read.select({ id: bots.id }).from(bots);
  const sent: { id: string; offerId: string }[] = [];
  for (const { id: botId } of known) {
    const checkedClaims = await claimsThatHold(db, botId, nowMs);
    const wanted = { botId, holder: 'test', limit: 100, checkedClaims };
    for (const leased of await leaseTransfers(db, wanted, nowMs, Date.now())) {
      const offerId = String(7_000_000 + nextNumber());
      await reportTransfer(db, leased.id, { event: 'sent', offerId }, nowMs);
      sent.push({ id: leased.id, offerId });
    }
  }
  return sent;
}

async function claimsThatHold(db: Database, botId: string, nowMs: number): Promise<string[]> {
  const holding: string[] = [];
  for (const { transferId } of await listClaimsToCheck(db.read, { botId }, nowMs))
    if ((await checkClaim(db, { transferId, reading: {} }, nowMs)) === 'met') holding.push(transferId);
  return holding;
}

/** The partner accepts: every asset gets a new id. */
export async function acceptOffer(
  db: Database,
  transferId: string,
  assets: readonly Pick<Asset, 'appId' | 'assetId'>[],
  nowMs: number,
): Promise<boolean> {
  const moved = assets.map(({ appId, assetId }) => ({
    appId,
    assetId,
    newAssetId: String(9_000_000 + nextNumber()),
    newContextId: '2',
  }));
  const offerId = String(7_000_000 + nextNumber());
  return reportOffer(
    db,
    transferId,
    { offerId, steamState: 'Accepted', tradeId: `t${offerId}`, moved },
    nowMs,
  );
}

export const draft = (facts: Partial<RuleDraft> = {}): RuleDraft => ({
  name: 'Demo rule',
  type: 'one',
  ...nothingAsked,
  watchMinutes: 60,
  claimTimeoutHours: 72,
  ...facts,
});

/** An open rule with `rewards` unlocked items of one kind on it. */
export async function addRule(
  db: Database,
  streamer: Person,
  {
    rewards = 1,
    nowMs = START_MS,
    channelId = null,
    ...facts
  }: Partial<RuleDraft> & { rewards?: number; nowMs?: number; channelId?: string | null } = {},
): Promise<string> {
  const created = await createRule(
    db,
    { requestId: newId(nowMs), userId: streamer.userId, channelId, draft: draft(facts) },
    nowMs,
  );
  if (!created.ok) throw new Error(`the rule was refused: ${created.code}`);
  if (rewards === 0) return created.ruleId;
  const assets = Array.from({ length: rewards }, () => asset());
  for (let from = 0; from < assets.length; from += 100)
    await deposit(db, streamer, assets.slice(from, from + 100), nowMs - 8 * day);
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: rewards }];
  const attached = await attachRewards(db, { ruleId: created.ruleId, userId: streamer.userId, kinds }, nowMs);
  if (!attached.ok) throw new Error(`attaching was refused: ${attached.code}`);
  return created.ruleId;
}
