import { and, eq } from 'drizzle-orm';
import { database } from '#app/services/database.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { passkeys } from '#db/schema/second-factor.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { ensurePushKeys } from '#domain/push/push-keys.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { streamerGrant } from '#tests/domain/account/people.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  nextNumber,
  type Person,
  steamIdOf,
} from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { admit } from '#tests/support/guests.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { raffleDraft } from '#tests/support/raffles.ts';
import { watchFor } from '#tests/support/watching.ts';
import { visitorOf } from './signed-in.ts';
import type { Visitor } from './visitor.ts';

/** The things that ids in paths refer to, by the path segment before them. */
export const nouns = [
  'sessions',
  'tokens',
  'transfers',
  'rules',
  'rewards',
  'given-rewards',
  'guests',
  'passkeys',
  'raffles',
] as const;
export type Noun = (typeof nouns)[number];

/** Other segments for the same: a proof has its rule's id. */
const synonyms: Record<string, Noun> = {
  proof: 'rules',
  proofs: 'rules',
  'who-got-what': 'given-rewards',
  'channel-guests': 'guests',
  wins: 'rewards',
};

/**
 * The thing that the first id in a path refers to, for routes (`:id`) and the API (`{id}`); null if unknown.
 */
export function nounIn(path: string): Noun | null {
  const [, word = ''] = /([^/]+)\/[:{]/.exec(path) ?? [];
  return nouns.find((noun) => noun === word) ?? synonyms[word] ?? null;
}

/** This owner's id for a path. */
export function idIn(path: string, { ids }: Pick<Owner, 'ids'>): string {
  const noun = nounIn(path);
  return noun ? ids[noun] : '';
}

/** A streamer with one of everything that an id can name, signed in here and in another browser. */
export interface Owner extends Person {
  email: string;
  login: string;
  tradeLink: string;
  visitor: Visitor;
  /**
   * A queued transfer, an open rule with draws and a free reward, a reward promised to them, one that a rule of theirs
   * which is closed by now promised to a viewer, a guest on their channel, and a raffle that they cancelled.
   */
  ids: Record<Noun, string>;
  /** Has a passkey of theirs, which their sign-in does not ask for. */
  device: PasskeyDevice;
  /** An item on the rule. */
  itemId: string;
  /** Their kind of item: one piece is on the rule, and one is free. */
  kind: { appId: number; marketHashName: string };
}

export const password = 'a short sentence';
let hashed: Promise<string> | null = null;

/** An account with a password; `token` is the one in its verification mail. */
export async function registered(
  email = `owner-${nextNumber()}@example.org`,
): Promise<{ userId: string; email: string; token: string }> {
  const db = await database();
  hashed ??= hashPassword(password);
  const person = { name: 'Demo person', email, passwordHash: await hashed, locale: 'en' as const };
  const made = await registerUser(db, person, Date.now());
  if (!made.ok) throw new Error(made.code);
  const [mail] = await db.read.select().from(mails).where(eq(mails.recipient, email));
  return { userId: made.userId, email, token: mail?.values.token ?? '' };
}

/** The only bot, alive now. */
async function aliveBot(): Promise<void> {
  const db = await database();
  if ((await db.read.$count(bots)) === 0) await addBot(db);
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ heartbeatAtMs: Date.now() });
  });
}

export async function ownerOfAll(): Promise<Owner> {
  const db = await database();
  const nowMs = Date.now();
  await aliveBot();
  const { userId, email, token } = await registered();
  await verifyEmail(db, { token }, nowMs);
  const number = nextNumber();
  const [twitchId, steamId, login] = [String(60_000 + number), steamIdOf(number), `demo_owner_${number}`];
  const person = { twitchId, login, displayName: login, pictureUrl: '', email };
  const linkedAtMs = nowMs - 30 * day;
  await linkTwitch(db, { vault: vault(), userId, person, grant: streamerGrant }, linkedAtMs);
  await linkSteam(db, { userId, steamId }, linkedAtMs);
  const tradeLink = formatTradeLink({ steamId, token: 'abcdefgh' });
  await setTradeLink(db, { userId, tradeLink }, nowMs);
  const own = { userId, twitchId, steamId };
  const kind = { appId: 730, marketHashName: `Case of ${login}` };
  // The free plan allows one rule at a time, and this one is closed.
  const given = await givenBy(own);
  const { ruleId, itemId } = await ruleOf(own, kind.marketHashName);
  const rewardId = await promiseTo(own);
  // A browser can be turned on once there are keys.
  await ensurePushKeys(db, () => ({ publicKey: 'public', privateKey: 'private' }), nowMs);
  const issued = await issueApiToken(db, { userId, name: 'Script' }, nowMs);
  const [visitor] = [await visitorOf(userId), await visitorOf(userId)];
  const [current] = await listSessions(db, { userId, currentToken: visitor.sessionToken() }, nowMs);
  const sessions = await listSessions(db, { userId, currentToken: null }, nowMs);
  const transfers = newId(nowMs);
  await requestDeposit(db, { requestId: transfers, userId, assets: [asset()] }, nowMs, Date.now());
  const device = new PasskeyDevice();
  const ids = {
    sessions: sessions.find(({ id }) => id !== current?.id)?.id ?? '',
    tokens: issued.ok ? issued.tokenId : '',
    transfers,
    rules: ruleId,
    rewards: rewardId,
    'given-rewards': given,
    guests: await guestOf(own),
    passkeys: await passkeyOf(own, device),
    raffles: await cancelledRaffleOf(own, kind),
  };
  return { ...own, email, login, tradeLink, visitor, ids, device, itemId, kind };
}

/** A rule with draws and one piece of a kind on it, with another piece free. */
async function ruleOf(owner: Person, marketHashName: string) {
  const db = await database();
  const nowMs = Date.now();
  await deposit(db, owner, [asset(marketHashName), asset(marketHashName)], nowMs - 8 * day);
  const ruleId = await addRule(db, owner, { type: 'random', rewards: 0, nowMs });
  const ofKind = and(eq(items.ownerId, owner.userId), eq(items.marketHashName, marketHashName));
  const [item] = await db.read.select().from(items).where(ofKind);
  const itemId = item?.id ?? '';
  await db.transaction(async (tx) => {
    const id = newId(nowMs);
    const place = { ruleId, ownerId: owner.userId, channelId: owner.twitchId };
    await tx.insert(rewards).values({ id, ...place, itemId, position: id, createdAtMs: nowMs });
  });
  return { ruleId, itemId };
}

/** A reward that a viewer was promised by a rule of this person, which was closed two days ago. */
async function givenBy(owner: Person): Promise<string> {
  const db = await database();
  const nowMs = Date.now();
  const ruleId = await addRule(db, owner, { rewards: 1, nowMs });
  const viewer = await addPerson(db);
  const [reward] = await db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  await db.transaction(async (tx) => {
    const { twitchId, userId } = viewer;
    const promised = { twitchId, userId, promisedAtMs: nowMs, claimUntilMs: nowMs + 3 * day };
    await tx
      .update(rewards)
      .set({ state: 'promised', ...promised })
      .where(eq(rewards.id, reward?.id ?? ''));
    await tx
      .update(rules)
      .set({ state: 'closed', closedAtMs: nowMs - 2 * day })
      .where(eq(rules.id, ruleId));
  });
  return reward?.id ?? '';
}

/** A raffle that this person prepares, of a kind of which they have a free piece. */
export async function preparedRaffleOf(
  { userId }: { userId: string },
  kind: { appId: number; marketHashName: string },
): Promise<string> {
  const [db, nowMs] = [await database(), Date.now()];
  const requestId = newId(nowMs);
  const prepared = await prepareRaffle(db, { requestId, userId, draft: raffleDraft({ kind }) }, nowMs);
  if (!prepared.ok) throw new Error(`the raffle was refused: ${prepared.code}`);
  return requestId;
}

async function cancelledRaffleOf(owner: Person, kind: { appId: number; marketHashName: string }) {
  const raffleId = await preparedRaffleOf(owner, kind);
  await cancelRaffle(await database(), { raffleId }, Date.now());
  return raffleId;
}

/** A guest whom this person admits to their channel. */
async function guestOf(host: Person): Promise<string> {
  const db = await database();
  const guest = await addStreamer(db);
  await admit(db, host, guest);
  return guest.userId;
}

/** A passkey in the list of this person; without the mark of a second factor, nothing asks for it. */
export async function passkeyOf(
  { userId }: { userId: string },
  device: PasskeyDevice,
  name = 'Phone',
): Promise<string> {
  const id = newId(Date.now());
  const passkey = { id, userId, name, createdAtMs: Date.now(), ...device.stored };
  await (await database()).transaction(async (tx) => void (await tx.insert(passkeys).values(passkey)));
  return id;
}

/** Someone watches until they win the item on the owner's rule. */
export async function drawOn({ twitchId }: Person): Promise<void> {
  const db = await database();
  const viewer = await addPerson(db);
  await watchFor(db, twitchId, [[viewer.twitchId, 3600]]);
  await evaluateChannel(db, twitchId, Date.now());
}

/** Another streamer's reward, promised to this person for following. */
async function promiseTo(person: Person): Promise<string> {
  const db = await database();
  const nowMs = Date.now();
  const giver = await addStreamer(db);
  await recordFollows(db, {
    channelId: giver.twitchId,
    followers: [{ twitchId: person.twitchId, followedAtMs: nowMs - 30 * day }],
    complete: true,
    readAtMs: nowMs,
  });
  const ruleId = await addRule(db, giver, { rewards: 1, followDays: 7, watchMinutes: null, nowMs });
  const [reward] = await db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  if (reward?.userId !== person.userId) throw new Error('nothing was promised');
  return reward.id;
}

/** Names for everything they own, to describe changes. */
export const namesOf = (owner: Owner, who: string): [string, string][] => [
  [owner.userId, who],
  [owner.email, `${who}'s address`],
  [owner.steamId, `${who}'s Steam`],
  [owner.twitchId, `${who}'s Twitch`],
  [owner.login, `${who}'s login`],
  [owner.itemId, `${who}'s item`],
  ...nouns.map((noun): [string, string] => [owner.ids[noun], `${who}'s ${noun}`]),
];
