// The domain's claim against the very statements it runs, prepared and replayed raw: one transaction each, one at a
// time, synchronous FULL, in blocks on two copies of one file.
import { copyFileSync, rmSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { type Database, openSqlite } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { recordStream } from '#domain/channel/record-stream.ts';
import { minute } from '#domain/clock.ts';
import { claimReward } from '#domain/reward/claim-reward.ts';
import { accrueWatchTime } from '#domain/watch-time/accrue-watch-time.ts';
import { compare, costOf, rounded } from '#tests/benchmarks/measure.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const ROUNDS = 12;
const BLOCK = 100;
const CLAIMS = (ROUNDS + 1) * BLOCK;
const NOW_MS = START_MS + 2 * minute;

interface Call {
  source: string;
  method: 'run' | 'all' | 'get';
  values: unknown[];
}

export async function run() {
  const { file, folder } = await makeSqliteFile('disk');
  const claims = await promiseMany(file);
  const copies = { recorded: `${file}.recorded`, replayed: `${file}.replayed` };
  for (const copy of Object.values(copies)) copyFileSync(file, copy);

  const recordings = await record(copies.recorded, claims);
  const database = await openSqlite(file);
  const raw = new BetterSqlite(copies.replayed);
  raw.pragma('journal_mode = WAL');
  raw.pragma('synchronous = FULL');
  raw.pragma('foreign_keys = ON');
  const replay = replayer(raw);

  const blockOf = <T>(all: readonly T[], round: number) => all.slice(round * BLOCK, (round + 1) * BLOCK);
  const findings = await compare({
    rounds: ROUNDS,
    subject: (round) => costOf(() => claimAll(database, blockOf(claims, round))),
    reference: (round) => costOf(() => blockOf(recordings, round).forEach(replay)),
  });
  raw.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    ...findings,
    claimCpuMs: rounded(findings.cpuMs / BLOCK),
    statementsPerClaim: recordings[0]?.length ?? 0,
  };
}

type Claim = { rewardId: string; userId: string };

async function promiseMany(file: string): Promise<Claim[]> {
  const database = await openSqlite(file);
  for (let bot = 0; bot < 2; bot++) await addBot(database);
  const streamer = await addStreamer(database);
  const viewers = [];
  for (let viewer = 0; viewer < CLAIMS; viewer++) viewers.push(await addPerson(database));
  const ruleId = await addRule(database, streamer, { watchMinutes: 1, rewards: CLAIMS });
  const stream = { streamId: 's1', startedAtMs: START_MS, gameName: 'Demo game', title: 'Demo' };
  await recordStream(database, { channelId: streamer.twitchId, stream }, START_MS);
  const twitchIds = viewers.map((viewer) => viewer.twitchId);
  await accrueWatchTime(
    database,
    { channelId: streamer.twitchId, streamId: 's1', twitchIds },
    START_MS + minute,
  );
  const promised = await database.read
    .select({ rewardId: rewards.id, userId: rewards.userId })
    .from(rewards)
    .where(eq(rewards.ruleId, ruleId));
  await database.close();
  return promised.map(({ rewardId, userId }) => ({ rewardId, userId: userId ?? '' }));
}

async function claimAll(database: Database, claims: readonly Claim[]) {
  for (const claim of claims) {
    const outcome = await claimReward(database, claim, NOW_MS);
    if (!outcome.ok) throw new Error(`a claim was refused: ${outcome.code}`);
  }
}

/** Runs the claims on a copy while writing down every statement and its values. */
async function record(file: string, claims: readonly Claim[]): Promise<Call[][]> {
  const { prepare } = BetterSqlite.prototype;
  const calls: Call[] = [];
  BetterSqlite.prototype.prepare = function (this: BetterSqlite.Database, source: string) {
    const made = prepare.call(this, source);
    for (const method of ['run', 'all', 'get'] as const) {
      const call = made[method].bind(made);
      made[method] = ((...values: unknown[]) => {
        calls.push({ source, method, values });
        return Reflect.apply(call, made, values);
      }) as never;
    }
    return made;
  } as typeof prepare;
  const recordings: Call[][] = [];
  const database = await openSqlite(file);
  for (const claim of claims) {
    calls.length = 0;
    await claimAll(database, [claim]);
    recordings.push([...calls]);
  }
  await database.close();
  BetterSqlite.prototype.prepare = prepare;
  return recordings;
}

function replayer(raw: BetterSqlite.Database): (recording: readonly Call[]) => void {
  const prepared = new Map<string, BetterSqlite.Statement>();
  return (recording) => {
    for (const { source, method, values } of recording) {
      let statement = prepared.get(source);
      if (!statement) {
        statement = raw.prepare(source);
        prepared.set(source, statement);
      }
      statement[method](...values);
    }
  };
}
