import { eq } from 'drizzle-orm';
import { kindKey } from '#app/services/items/picks.server.ts';
import { type Database, openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { subscriptions } from '#db/schema/billing.ts';
import { channelGuests, channels } from '#db/schema/channel.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { createVault } from '#platform/vault.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addRule,
  addStreamer,
  deposit,
  type Person,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { longNamed, names, ruleNames, type Script, scripts } from './long-names.ts';

async function rename(db: Database, { userId, twitchId, steamId }: Person, script: Script, login: string) {
  const name = names[script];
  await db.transaction(async (tx) => {
    await tx.update(users).set({ name }).where(eq(users.id, userId));
    await tx
      .update(twitchAccounts)
      .set({ login, displayName: name })
      .where(eq(twitchAccounts.twitchId, twitchId));
    await tx.update(steamAccounts).set({ personaName: name }).where(eq(steamAccounts.steamId, steamId));
    await tx
      .update(channels)
      .set({ login, displayName: name, title: `${ruleNames[script]} ${names.wide}`, gameName: names[script] })
      .where(eq(channels.id, twitchId));
  });
}

/** Somebody with a channel. */
async function addNamed(db: Database, script: Script, login: string): Promise<Person> {
  const person = await addStreamer(db);
  await rename(db, person, script, login);
  return person;
}

/** The largest plan, as it stands after a purchase. */
async function subscribe(db: Database, { userId }: Person, nowMs: number) {
  await db.transaction((tx) =>
    tx.insert(subscriptions).values({
      id: `sub_${userId}`,
      userId,
      product: 'streamer',
      tier: 'pro',
      period: 'month',
      state: 'active',
      anchorMs: nowMs,
      periodStartMs: nowMs,
      periodEndMs: nowMs + 30 * day,
      createdAtMs: nowMs,
    }),
  );
}

/** Deposits pieces of all kinds long ago, so that their lock is over. */
async function stock(db: Database, owner: Person, pieces: number, atMs: number) {
  for (const script of scripts)
    await deposit(
      db,
      owner,
      Array.from({ length: pieces }, () => longNamed(script)),
      atMs,
    );
}

interface Plan extends Partial<RuleDraft> {
  script: Script;
  /** Number of pieces of each kind. */
  pieces: number;
}

async function openRule(db: Database, owner: Person, { script, pieces, ...draft }: Plan, nowMs: number) {
  const ruleId = await addRule(db, owner, { rewards: 0, nowMs, name: ruleNames[script], ...draft });
  if (pieces === 0) return ruleId;
  const kinds = scripts.map((each) => {
    const { appId, marketHashName, traits = '' } = longNamed(each);
    return { appId, marketHashName, traits, quantity: pieces };
  });
  const attached = await attachRewards(db, { ruleId, userId: owner.userId, kinds }, nowMs);
  if (!attached.ok) throw new Error(`attaching was refused: ${attached.code}`);
  return ruleId;
}

async function promisedTo(db: Database, { userId }: Person): Promise<string[]> {
  const { rows } = await listMyRewards(db, { userId, states: ['promised'] });
  return rows.map(({ id }) => id);
}

/** Claims everything that a viewer is promised, and accepts the offers on Steam if they are to arrive. */
async function claim(db: Database, viewer: Person, arrives: boolean, nowMs: number): Promise<string[]> {
  const rewardIds = await promisedTo(db, viewer);
  for (const rewardId of rewardIds) {
    const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
    if (!claimed.ok) throw new Error(`the claim was refused: ${claimed.code}`);
  }
  for (const { id } of await sendQueued(db, nowMs)) {
    const sent = await db.read.select().from(transferItems).where(eq(transferItems.transferId, id));
    if (arrives) await acceptOffer(db, id, sent, nowMs);
  }
  return rewardIds;
}

export interface LongNamesWorld {
  /** Of sessions. */
  tokens: Record<'streamer' | 'viewer', string>;
  pages: Record<'signedOut' | 'streamer' | 'viewer', string[]>;
}

/** The address that makes an account the operator’s; here it is the streamer’s. */
export const operatorAddress = 'operator@example.org';

/** The first channel and its viewers, and channels with a name in each of the other scripts. */
interface People {
  streamer: Person;
  others: readonly Person[];
  /** The first of them is looked at. */
  viewers: readonly [Person, Person, Person, ...Person[]];
}

/** In the widest letters that Twitch allows in a login. */
const loginOf = (place: number) => `${'w'.repeat(24)}${place}`;

async function addPeople(db: Database, nowMs: number): Promise<People> {
  const hosts: Person[] = [];
  for (const [place, script] of scripts.entries()) hosts.push(await addNamed(db, script, loginOf(place)));
  const [streamer, ...others] = hosts as [Person, ...Person[]];
  await subscribe(db, streamer, nowMs - 20 * day);
  await db.transaction(async (tx) => {
    await tx.update(users).set({ email: operatorAddress }).where(eq(users.id, streamer.userId));
    for (const { userId } of others)
      await tx.insert(channelGuests).values({ channelId: streamer.twitchId, userId, admittedAtMs: nowMs });
  });
  const viewers: Person[] = [];
  for (const [place, script] of [...scripts, ...scripts].entries()) {
    const viewer = await addPerson(db);
    await rename(db, viewer, script, `${'m'.repeat(23)}${place}`);
    viewers.push(viewer);
  }
  return { streamer, others, viewers: viewers as unknown as People['viewers'] };
}

/** Plays rewards through all their states. Returns the ids of a random rule, of a rule before it, and of a win. */
async function playRewards(db: Database, { streamer, viewers }: People, nowMs: number) {
  const watch = async (people: readonly Person[], hours: number, atMs: number) => {
    const times = people.map(({ twitchId }) => [twitchId, hours * 3600] as const);
    await watchFor(db, streamer.twitchId, times);
    await evaluateChannel(db, streamer.twitchId, atMs);
  };
  const open = (plan: Plan, atMs: number) => openRule(db, streamer, plan, atMs);
  const hourly = { watchMinutes: 60, pieces: 1 };
  await stock(db, streamer, 24, nowMs - 20 * day);
  const past = await open({ ...hourly, script: 'arabic' }, nowMs - 10 * day);
  await watch(viewers.slice(0, 3), 2, nowMs - 9 * day);
  const won: string[] = [];
  for (const each of viewers.slice(0, 3)) won.push(...(await claim(db, each, true, nowMs - 8 * day)));

  const random = await open({ ...hourly, script: 'wide', pieces: 4, type: 'random' }, nowMs - 2 * day);
  await open({ ...hourly, script: 'cyrillic', followDays: 1000 }, nowMs - 2 * day);
  await open({ script: 'chinese', pieces: 0, watchMinutes: 100_000 }, nowMs - 2 * day);
  await watch(viewers, 1234, nowMs - day);
  const [viewer, second, third] = viewers;
  await claim(db, second, true, nowMs - day);
  await claim(db, third, false, nowMs - hour);
  await claim(db, viewer, false, nowMs - hour);
  await open({ ...hourly, script: 'arabic' }, nowMs - hour);
  await watch([viewer], 2, nowMs - hour);
  return { past, random, win: won[0] };
}

/** Everybody is live, with rules on which the viewer is on the way. */
async function playOthers(db: Database, { streamer, others, viewers: [viewer] }: People, nowMs: number) {
  for (const [place, host] of others.entries()) {
    const script = scripts[place + 1] as Script;
    await stock(db, host, 2, nowMs - 20 * day);
    const plan: Plan = { script, pieces: 1, watchMinutes: 100_000, type: 'random' };
    await openRule(db, host, plan, nowMs - 2 * day);
    await watchFor(db, host.twitchId, [[viewer.twitchId, 500_000]]);
  }
  const shown = { gameName: names.wide, title: ruleNames.wide, viewers: 1_234_567 };
  for (const { twitchId } of [streamer, ...others]) {
    const stream = { streamId: `s${twitchId}`, startedAtMs: nowMs - hour, ...shown };
    await recordStream(db, { channelId: twitchId, stream }, nowMs);
  }
}

/** Returns the id of a deposit that waits at Steam; another one has just arrived. */
async function playDeposits(db: Database, { streamer }: People, nowMs: number): Promise<string> {
  const requestId = newId(nowMs);
  const assets = scripts.map(longNamed);
  await requestDeposit(db, { requestId, userId: streamer.userId, assets }, nowMs, nowMs);
  await sendQueued(db, nowMs);
  await deposit(db, streamer, scripts.map(longNamed), nowMs - day);
  return requestId;
}

/** One piece of each kind, as a form picks them. */
const picked = new URLSearchParams(
  scripts
    .map((script) => kindKey(longNamed(script)))
    .flatMap((key) => [
      ['item', key],
      [`item:${key}`, '1'],
    ]),
);

const ownChannel = `/channels/${loginOf(0)}`;
const streamerPages = [
  ...['/dashboard?view=streamer', '/rules', '/rules?state=closed', '/rules/new', '/rules/who-got-what'],
  ...['/items', '/items/custody', `/items/return?${picked}`, `/items/deposit?${picked}`],
  ...['/channel', '/channel/commands', '/channel/guests', '/profile', '/settings', '/settings/tokens'],
  ...['/transfers', '/billing', '/operator'],
];
const viewerPages = [
  '/dashboard',
  '/browseChannels',
  '/rewardProgress',
  '/rewardHistory',
  '/transfers',
  ownChannel,
];
const ruleActs = ['rewards/add', 'rewards/remove', 'weights', 'correct', 'pause', 'delete'];

/** Fills an empty store with people, channels, rules and items that all have long names. */
export async function fillLongNames(file: string, nowMs: number): Promise<LongNamesWorld> {
  sealColumnsWith(createVault(Buffer.alloc(32).toString('base64')));
  const db = await openSqlite(file);
  await addBot(db, 'keepsake_trade_bot_of_a_long_name_7');
  await sellPlans(db, true, nowMs - 60 * day);
  const people = await addPeople(db, nowMs);
  const { past, random, win } = await playRewards(db, people, nowMs);
  await playOthers(db, people, nowMs);
  const depositId = await playDeposits(db, people, nowMs);
  const { userId } = people.streamer;
  await issueApiToken(db, { userId, name: ruleNames.wide }, nowMs);
  const signIn = async (person: Person) =>
    (await openSession(db, { userId: person.userId, userAgent: names.wide.repeat(8) }, nowMs)).token;
  await signIn(people.streamer);
  const [ready] = await promisedTo(db, people.viewers[0]);
  const tokens = { streamer: await signIn(people.streamer), viewer: await signIn(people.viewers[0]) };
  await db.close();
  const rules = [random, past, ...ruleActs.map((act) => `${random}/${act}`)].map((path) => `/rules/${path}`);
  return {
    tokens,
    pages: {
      signedOut: [
        ...['/', '/contact_us', ownChannel, `${ownChannel}/${random}`],
        ...[`/proof/${random}`, `/proof/${random}/1`, `/wins/${win}`],
      ],
      viewer: [...viewerPages, `/rewards/${ready}/claim`, `/wins/${win}`],
      streamer: [...streamerPages, ...rules, `/transfers?open=${depositId}`],
    },
  };
}
