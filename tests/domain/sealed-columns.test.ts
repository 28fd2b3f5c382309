import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openSqlite } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { sealStored } from '#db/engine/seal-stored.ts';
import { migrateSqlite, migrationsFolder } from '#db/migrate.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile, openTestDatabase, testVault } from '#tests/support/database.ts';
import { addBot, addRule, addStreamer, asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';

/** A rule, and two deposits: one that is on Steam and one that waits. */
async function stage(db: Database) {
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { rewards: 0 });
  await addBot(db);
  const request = async () => {
    const requestId = newId(START_MS);
    const wanted = { requestId, userId: streamer.userId, assets: [asset()] };
    await requestDeposit(db, wanted, START_MS, Date.now());
    return requestId;
  };
  const sent = await request();
  await sendQueued(db, START_MS);
  return { sent, queued: await request() };
}

const raw = (column: unknown) => sql<string>`${column}`.mapWith(String);
/** Reads the values that a copy of the database shows. */
async function storedIn({ read }: Database, { sent, queued }: Awaited<ReturnType<typeof stage>>) {
  const [rule] = await read.select({ text: raw(rules.seed) }).from(rules);
  const [account] = await read.select({ text: raw(steamAccounts.tradeToken) }).from(steamAccounts);
  const tokenOf = async (id: string) => {
    const [row] = await read
      .select({ text: raw(transfers.tradeToken) })
      .from(transfers)
      .where(eq(transfers.id, id));
    return row?.text;
  };
  return [rule?.text, account?.text, await tokenOf(queued), await tokenOf(sent)];
}
/** Reads the values that the product reads. */
async function readIn({ read }: Database, { queued }: { queued: string }) {
  const [rule] = await read.select().from(rules);
  const [account] = await read.select().from(steamAccounts);
  const [transfer] = await read.select().from(transfers).where(eq(transfers.id, queued));
  return [rule?.seed, account?.tradeToken, transfer?.tradeToken];
}

const seed = 'a'.repeat(64);
/** Stores everything as versions before did. */
const storePlain = (db: Database) =>
  db.transaction(async (tx) => {
    await tx.update(rules).set({ seed: sql`${sql.raw(`'${seed}'`)}` });
    await tx.update(steamAccounts).set({ tradeToken: sql`'tokenABC'` });
    await tx.update(transfers).set({ tradeToken: sql`'tokenABC'` });
  });

const isSealed = expect.stringMatching(/^sealed:v1\.[\w-]{40,}$/);

test('Whoever reads the database finds neither the seed of a draw nor a trade token', async () => {
  await using db = await openTestDatabase();
  const ids = await stage(db);
  expect(await storedIn(db, ids)).toEqual([isSealed, isSealed, isSealed, '']);
  expect(await readIn(db, ids)).toEqual([expect.stringMatching(/^[\da-f]{64}$/), 'tokenABC', 'tokenABC']);
});

test('Sealed text that was altered, or moved to another column, is not read', async () => {
  await using db = await openTestDatabase();
  await stage(db);
  const readAs = async (text: ReturnType<typeof sql>) => {
    await db.transaction(async (tx) => tx.update(rules).set({ seed: text }));
    return db.read.select().from(rules);
  };
  const [, token = ''] = await storedIn(db, { sent: '', queued: '' });
  await expect(readAs(sql`${sql.raw(`'${token}'`)}`)).rejects.toThrow();
  await expect(readAs(sql`${sql.raw(`'sealed:v1.${'A'.repeat(60)}'`)}`)).rejects.toThrow();
});

test('What was stored plain is read, and sealed once', async () => {
  await using db = await openTestDatabase();
  const ids = await stage(db);
  await storePlain(db);
  expect(await readIn(db, ids)).toEqual([seed, 'tokenABC', 'tokenABC']);
  const seal = () =>
    db.transaction(async (tx) => {
      const session = tx as unknown as {
        execute(query: unknown): Promise<{ rows: unknown[] }>;
        all(query: unknown): unknown[];
      };
      const run = async (query: string, values: readonly string[]) => {
        const parts = query.split(/\$\d/);
        const asked = sql.join(
          parts.flatMap((part, at) => [sql.raw(part), ...(at < values.length ? [sql`${values[at]}`] : [])]),
        );
        if (isPostgres) return (await session.execute(asked)).rows;
        return query.startsWith('select') ? session.all(asked) : session.all(sql`${asked} returning 1`);
      };
      await sealStored(
        { dialect: isPostgres ? 'postgres' : 'sqlite', place: (number) => `$${number}`, run },
        testVault,
      );
    });
  await seal();
  const once = await storedIn(db, ids);
  expect(once).toEqual([isSealed, isSealed, isSealed, isSealed]);
  expect(await readIn(db, ids)).toEqual([seed, 'tokenABC', 'tokenABC']);
  await seal();
  expect(await storedIn(db, ids)).toEqual(once);
});

/** The migrations up to the one that seals stored text. */
function stepsUntilSealing(folder: string): { steps: string; lastMs: number } {
  const steps = join(folder, 'steps');
  cpSync(migrationsFolder.sqlite, steps, { recursive: true });
  const file = join(steps, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string; when: number }[] };
  const last = journal.entries.findIndex(({ tag }) => tag === '0020_removed_trade_tokens');
  const entries = journal.entries.slice(0, last + 1);
  writeFileSync(file, JSON.stringify({ ...journal, entries }));
  return { steps, lastMs: entries[last]?.when ?? 0 };
}

test.skipIf(isPostgres)(
  'An upgrade removes the tokens of offers on Steam, and seals the rest with the schema',
  async () => {
    const { file, folder } = await makeSqliteFile();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const before = await openSqlite(file);
    const ids = await stage(before);
    await storePlain(before);
    await before.close();
    const store = new BetterSqlite(file);
    const { steps, lastMs } = stepsUntilSealing(folder);
    store.exec(`delete from __drizzle_migrations where created_at >= ${lastMs}`);
    store.close();
    await migrateSqlite(file, testVault, steps);
    const after = await openSqlite(file);
    expect(await storedIn(after, ids)).toEqual([isSealed, isSealed, isSealed, '']);
    await after.close();
    expect(readFileSync(file, 'latin1')).not.toContain('tokenABC');
  },
);
