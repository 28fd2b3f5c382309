import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { raffleEntries, raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import { prepareRaffle, type RaffleDraft } from '#domain/raffle/prepare-raffle.ts';
import { recordAnnounced } from '#domain/raffle/record-announced.ts';
import { recordEntries } from '#domain/raffle/record-entries.ts';
import { ANNOUNCED_FOR_MS, GRACE_MS, runRaffles } from '#domain/raffle/run-raffles.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { nothingAsked } from '#tests/support/conditions.ts';
import { asset, deposit, type Person, START_MS } from '#tests/support/fixtures.ts';

export const raffleDraft = (facts: Partial<RaffleDraft> = {}): RaffleDraft => ({
  keyword: 'redline',
  minutes: 5,
  kind: { appId: 730, marketHashName: 'Demo case' },
  winners: 1,
  conditions: nothingAsked,
  winnersOutDays: 0,
  moderatorsMayEnter: true,
  claimTimeoutHours: 24,
  ...facts,
});

/** Unlocked items of the streamer, enough for a raffle. */
export const stock = (db: Database, streamer: Person, amount: number, nowMs = START_MS) =>
  deposit(
    db,
    streamer,
    Array.from({ length: amount }, () => asset()),
    nowMs - 8 * day,
  );

/** The bot has read the lists of the streamer's channel. */
export const readLists = (db: Database, { twitchId }: Person, nowMs: number): Promise<void> =>
  db.transaction(async (tx) => {
    await tx
      .update(channels)
      .set({ followsReadAtMs: nowMs, subscribersReadAtMs: nowMs })
      .where(eq(channels.id, twitchId));
  });

/** A raffle that runs, with its items in custody. */
export async function addRaffle(
  db: Database,
  streamer: Person,
  facts: Partial<RaffleDraft> = {},
  nowMs = START_MS,
): Promise<string> {
  const draft = raffleDraft(facts);
  await stock(db, streamer, draft.winners, nowMs);
  const request = { requestId: newId(nowMs), userId: streamer.userId, draft };
  const prepared = await prepareRaffle(db, request, nowMs);
  if (!prepared.ok) throw new Error(`the raffle was refused: ${prepared.code}`);
  await readLists(db, streamer, nowMs);
  const started = await startRaffle(db, { raffleId: prepared.raffleId }, nowMs);
  if (!started.ok) throw new Error(`the start was refused: ${started.code}`);
  return prepared.raffleId;
}

/** These viewers write the keyword, a second after one another. */
export const enter = (
  db: Database,
  raffleId: string,
  {
    channelId,
    twitchIds,
    nowMs = START_MS,
  }: { channelId: string; twitchIds: readonly string[]; nowMs?: number },
): Promise<number> => {
  const entrants = twitchIds.map((twitchId, index) => ({
    twitchId,
    name: `name_${twitchId}`,
    enteredAtMs: nowMs + (index + 1) * second,
  }));
  return recordEntries(db, { raffleId, channelId, entrants }, nowMs);
};

/** The bot takes what waits for the chats. */
export async function takeLines(db: Database, nowMs: number) {
  const logins = await db.read.select({ login: channels.login }).from(channels);
  const channelLogins = logins.map(({ login }) => login);
  return takeAnnouncements(db, { channelLogins, limit: 100 }, nowMs);
}

/** The bot takes what waits for the chats, and Twitch takes it. */
export async function postLines(db: Database, nowMs: number) {
  const lines = await takeLines(db, nowMs);
  for (const { raffle } of lines) if (raffle?.kind === 'sealed') await recordAnnounced(db, raffle, nowMs);
  return lines;
}

/** Lets the time of a raffle pass until it is drawn. Returns the time of the draw. */
export async function drawRaffle(db: Database, nowMs = START_MS + 5 * minute): Promise<number> {
  const sealedAtMs = nowMs + GRACE_MS;
  await runRaffles(db, sealedAtMs);
  await postLines(db, sealedAtMs);
  await runRaffles(db, sealedAtMs + ANNOUNCED_FOR_MS);
  return sealedAtMs + ANNOUNCED_FOR_MS;
}

export async function raffleOf(db: Database, raffleId: string) {
  const [raffle] = await db.read.select().from(raffles).where(eq(raffles.id, raffleId));
  if (!raffle) throw new Error(`no raffle ${raffleId}`);
  return raffle;
}

export const entriesOf = (db: Database, raffleId: string) =>
  db.read
    .select()
    .from(raffleEntries)
    .where(eq(raffleEntries.raffleId, raffleId))
    .orderBy(asc(raffleEntries.number));

/** The entries in the order of their places. */
export const placesOf = async (db: Database, raffleId: string) =>
  (await entriesOf(db, raffleId)).toSorted((one, other) => (one.place ?? 0) - (other.place ?? 0));

export const rewardsOfRaffle = (db: Database, raffleId: string) =>
  db.read.select().from(rewards).where(eq(rewards.ruleId, raffleId)).orderBy(asc(rewards.id));
