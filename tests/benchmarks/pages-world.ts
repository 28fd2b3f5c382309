import { openSqlite } from '#db/database.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';

const KINDS = 50;
const PIECES = 4;
const CLAIMS = 12;

/** Session tokens of signed-in users. */
export interface SignedIn {
  /**
   * Has 50 kinds in custody, and more than one page of transfers: deposits, and claims in each state before delivery.
   */
  streamer: string;
  /** Has not set anything up yet. */
  newcomer: string;
}

const types = ['CSGO_Type_Rifle', 'CSGO_Type_SniperRifle', 'CSGO_Type_Knife', 'CSGO_Type_Pistol'];
const rarities = ['Rarity_Rare_Weapon', 'Rarity_Mythical_Weapon', 'Rarity_Ancient_Weapon'];

/** A piece of one kind, with an image URL as long as Steam's. */
const piece = (kind: number) =>
  asset(`AK-47 | Demo finish ${kind} (Field-Tested)`, {
    name: `AK-47 | Demo finish ${kind}`,
    iconUrl: `demo${kind}`.padEnd(150, 'x'),
    exterior: 'Field-Tested',
    typeTag: types[kind % types.length] ?? '',
    rarityTag: rarities[kind % rarities.length] ?? '',
  });

/** Fills a migrated database with two users, the data of their pages, and their sessions. */
export async function fillPagesWorld(file: string, nowMs: number): Promise<SignedIn> {
  const db = await openSqlite(file);
  await addBot(db);
  const [streamer, newcomer] = [await addStreamer(db), await addPerson(db, { steam: false })];
  const pieces = Array.from({ length: KINDS * PIECES }, (_, place) => piece(place % KINDS));
  for (let at = 0; at < pieces.length; at += 25)
    await deposit(db, streamer, pieces.slice(at, at + 25), nowMs - 20 * day + at * hour);
  // The last ones are still under Trade Protection.
  await deposit(db, streamer, [piece(3), piece(4), piece(5)], nowMs - day);
  await claimSome(db, streamer, nowMs);
  const signIn = async ({ userId }: Person) =>
    (await openSession(db, { userId, userAgent: 'bench' }, nowMs)).token;
  const tokens = { streamer: await signIn(streamer), newcomer: await signIn(newcomer) };
  await db.close();
  return tokens;
}

async function claimSome(db: Awaited<ReturnType<typeof openSqlite>>, streamer: Person, nowMs: number) {
  await addRule(db, streamer, { name: 'Two hours of demo', rewards: CLAIMS + 8, nowMs: nowMs - day });
  const viewers: Person[] = [];
  for (let each = 0; each < CLAIMS; each++) viewers.push(await addPerson(db));
  const pairs = viewers.map(({ twitchId }) => [twitchId, 7200] as const);
  await watchFor(db, streamer.twitchId, pairs);
  await evaluateChannel(db, streamer.twitchId, nowMs - 2 * hour);
  for (const [place, { userId }] of viewers.entries()) {
    const [reward] = (await listMyRewards(db, { userId, states: ['promised'] })).rows;
    if (!reward) throw new Error('a viewer was promised nothing');
    await claimReward(db, { rewardId: reward.id, userId }, nowMs - hour);
    // Two thirds of the offers are sent; the rest is queued.
    if (place === (CLAIMS * 2) / 3) await sendQueued(db, nowMs - hour);
  }
}
