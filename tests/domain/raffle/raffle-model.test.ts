import { and, eq, or } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { hour } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { runRaffles } from '#domain/raffle/run-raffles.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { checkInvariants } from '#tests/support/invariants.ts';
import { addRaffle, drawRaffle, enter, placesOf, raffleOf, rewardsOfRaffle } from '#tests/support/raffles.ts';

const STRANGERS = ['990001', '990002', '990003'];
const steps = ['lapse', 'stop', 'claim', 'relink', 'rename', 'leave', 'return', 'run', 'cancel'] as const;

test('Whatever happens after a draw, no item is given twice, and the places of the draw stand', async () => {
  const db = await openTestDatabase();
  try {
    await addBot(db);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 7 }),
        fc.array(fc.nat({ max: 5 }), { minLength: 7, maxLength: 7 }),
        async (winners, played, whom) => {
          const streamer = await addStreamer(db);
          const people = [await addPerson(db), await addPerson(db), await addPerson(db)];
          const raffleId = await addRaffle(db, streamer, { winners });
          const twitchIds = [...people.map(({ twitchId }) => twitchId), ...STRANGERS];
          await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds });
          let nowMs = await drawRaffle(db);
          const drawn = (await placesOf(db, raffleId)).map(({ twitchId }) => twitchId);
          for (const [index, step] of played.entries()) {
            const person = people[(whom[index] ?? 0) % 3] as Person;
            nowMs += hour;
            if (step === 'lapse') nowMs += 24 * hour;
            if (step === 'lapse') await expirePromises(db, nowMs, Date.now());
            if (step === 'cancel')
              expect(await cancelRaffle(db, { raffleId }, nowMs)).toEqual({
                ok: false,
                code: 'listClosed',
              });
            await play(
              db,
              { step, person, streamer, raffleId, stranger: STRANGERS[(whom[index] ?? 0) % 3] ?? '' },
              nowMs,
            );
            await runRaffles(db, nowMs);
            await checkInvariants(db, nowMs, new Map([[streamer.userId, winners]]));
          }
          expect((await placesOf(db, raffleId)).map(({ twitchId }) => twitchId)).toEqual(drawn);
          const given = (await rewardsOfRaffle(db, raffleId)).flatMap(({ userId }) => userId ?? []);
          expect(new Set(given).size, 'items of one person').toBe(given.length);
          expect(['drawn', 'over']).toContain((await raffleOf(db, raffleId)).state);
          await db.transaction(async (tx) => {
            await tx.delete(twitchAccounts);
          });
        },
      ),
      { numRuns: 12 },
    );
  } finally {
    await db.close();
  }
}, 60_000);

/** Links the Twitch account that somebody entered with, unless they have one now. */
async function comeBack(db: Database, { userId, twitchId }: Person): Promise<void> {
  const owns = or(eq(twitchAccounts.userId, userId), eq(twitchAccounts.twitchId, twitchId));
  const isLinked = (await db.read.$count(twitchAccounts, owns)) > 0;
  const names = { login: `demo_${twitchId}`, displayName: `Demo ${twitchId}` };
  const grant = { accessTokenSealed: 'sealed', refreshTokenSealed: 'sealed', scopes: [] };
  const times = { tokenObtainedAtMs: 0, tokenLifetimeSeconds: 14_400, linkedAtMs: 0 };
  if (!isLinked)
    await db.transaction(async (tx) => {
      await tx.insert(twitchAccounts).values({ twitchId, userId, ...names, ...grant, ...times });
    });
}

interface Play {
  step: (typeof steps)[number];
  person: Person;
  streamer: Person;
  raffleId: string;
  stranger: string;
}

async function play(
  db: Database,
  { step, person, streamer, raffleId, stranger }: Play,
  nowMs: number,
): Promise<void> {
  const promised = (await rewardsOfRaffle(db, raffleId)).filter(({ state }) => state === 'promised');
  const [reward] = promised;
  if (step === 'stop' && reward)
    await stopClaim(db, { rewardId: reward.id, ownerId: streamer.userId, reason: 'ruleAbused' }, nowMs);
  const own = promised.find(({ userId }) => userId === person.userId);
  if (step === 'claim' && own) await claimReward(db, { rewardId: own.id, userId: person.userId }, nowMs);
  // Only a person with a password can unlink Twitch; the row is all that raffles read of it.
  if (step === 'leave')
    await db.transaction(async (tx) => {
      await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, person.userId));
    });
  if (step === 'return') await comeBack(db, person);
  if (step !== 'relink' && step !== 'rename') return;
  const isFree = (await db.read.$count(twitchAccounts, eq(twitchAccounts.twitchId, stranger))) === 0;
  const patch = step === 'rename' ? { displayName: `Renamed ${nowMs}` } : { twitchId: stranger };
  if (step === 'rename' || isFree)
    await db.transaction(async (tx) => {
      await tx
        .update(twitchAccounts)
        .set(patch)
        .where(and(eq(twitchAccounts.userId, person.userId)));
    });
}
