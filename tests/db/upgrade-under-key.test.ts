import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { LONGEST_LEASE_MS, type Waiting } from '#db/engine/await-silence.ts';
import { type RawConnection, sealStored } from '#db/engine/seal-stored.ts';
import type { Seals } from '#db/engine/sealed-text.ts';
import { isNewStore, migratePostgres, migrateSqlite, migrationsFolder } from '#db/migrate.ts';
import { createVault } from '#platform/vault.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { stepsBefore } from '#tests/support/landed-steps.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

const newVault = () => createVault(randomBytes(32).toString('base64'));
const [own, other] = [newVault(), newVault()];
const NOW = 1_800_000_000_000;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keepsake-upgrade-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** The first step of the version that sealed columns. */
const SEALING = '0020_removed_trade_tokens';
/** The step since which each part of a bot's work is leased. */
const LEASING = '0059_leases';

interface Place {
  databaseUrl?: string;
  file: string;
  raw: RawConnection;
  migrate(seals: Seals | null, steps?: string, waiting?: Waiting): Promise<void>;
}

function sqlitePlace(): Place {
  const file = join(folder(), 'keepsake.db');
  return {
    file,
    migrate: (...how) => migrateSqlite(file, ...how),
    raw: {
      dialect: 'sqlite',
      place: () => '?',
      run(query, values) {
        const store = new BetterSqlite(file);
        try {
          const statement = store.prepare(query);
          return statement.reader ? statement.all(...values) : [statement.run(...values)];
        } finally {
          store.close();
        }
      },
    },
  };
}

async function postgresPlace(): Promise<Place> {
  const { default: pg } = await import('pg');
  const asking = async (address: string, query: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    return (await client.query(query, [...values]).finally(() => client.end())).rows;
  };
  const name = `keepsake_upgrade_${randomBytes(6).toString('hex')}`;
  await asking(serverUrl ?? '', `create database ${name}`);
  onTestFinished(async () => void (await asking(serverUrl ?? '', `drop database ${name} with (force)`)));
  const databaseUrl = Object.assign(new URL(serverUrl ?? ''), { pathname: `/${name}` }).href;
  return {
    databaseUrl,
    file: '',
    migrate: (...how) => migratePostgres(databaseUrl, ...how),
    raw: {
      dialect: 'postgres',
      place: (number) => `$${number}`,
      run: (query, values) => asking(databaseUrl, query, values),
    },
  };
}

const TOKEN = 'tokenABC';
const kinds = [
  ['SQLite', 'sqlite', sqlitePlace] as const,
  ...(serverUrl ? [['PostgreSQL', 'postgres', postgresPlace] as const] : []),
];

describe.skipIf(isPostgres).each(kinds)('An upgrade of an old store: %s', (_, dialect, open) => {
  /** With a plain trade token, and a bot whose token was sealed under `own` and whose lease ends then. */
  async function stage({ leaseUntilMs = 0, step = SEALING } = {}) {
    const place = await open();
    expect(await isNewStore(place)).toBe(true);
    await place.migrate(null, stepsBefore(dialect, step));
    expect(await isNewStore(place)).toBe(false);
    const run = async (query: string) => place.raw.run(query, []);
    await run(
      "insert into users (id, name, email, created_at_ms) values ('u1', 'Demo', 'demo@example.org', 1)",
    );
    await run(
      `insert into steam_accounts (steam_id, user_id, trade_token, linked_at_ms) values ('76561190000000001', 'u1', '${TOKEN}', 1)`,
    );
    await run(
      `insert into bots (id, first_seen_at_ms, refresh_token_sealed, lease_until_ms) values ('bot-1', 1, '${own.seal('secret', 'bot:bot-1')}', ${leaseUntilMs})`,
    );
    const token = async () =>
      ((await run('select trade_token as text from steam_accounts')) as { text: string }[])[0]?.text;
    return {
      ...place,
      run,
      token,
      upgrade: (seals: Seals, waiting?: Waiting) => place.migrate(seals, migrationsFolder[dialect], waiting),
    };
  }

  /** A clock that moves only while somebody waits, and what happens meanwhile. */
  function clock(meanwhile: () => Promise<unknown> = async () => {}) {
    let now = NOW;
    const said: string[] = [];
    const wait = async (ms: number) => {
      now += ms;
      await meanwhile();
    };
    return {
      said,
      waited: () => now - NOW,
      waiting: { now: () => now, wait, say: (line: string) => said.push(line) },
    };
  }

  test('under another key it changes nothing, now or later', async () => {
    const { upgrade, token } = await stage();
    await expect(upgrade(other)).rejects.toThrow('What is stored was encrypted with another key.');
    expect(await token()).toBe(TOKEN);
    await upgrade(own);
    const sealed = await token();
    expect(sealed).toMatch(/^sealed:v1\./);
    expect(own.open(sealed?.replace('sealed:', '') ?? '', 'steam_accounts.trade_token')).toBe(TOKEN);
    await expect(upgrade(other)).rejects.toThrow('encrypted with another key');
    await upgrade(own);
    expect(await token()).toBe(sealed);
  });

  test('a sealed value that was damaged alone does not refuse the key', async () => {
    const { upgrade, run, token } = await stage();
    await run(
      `insert into bots (id, first_seen_at_ms, refresh_token_sealed) values ('bot-2', 1, '${other.seal('secret', 'bot:bot-2')}')`,
    );
    await upgrade(own);
    expect(await token()).toMatch(/^sealed:/);
  });

  test('it waits for the lease of a bot that was killed, with one line', async () => {
    const { upgrade, token } = await stage({ leaseUntilMs: NOW + 30_000 });
    const { waiting, waited, said } = clock();
    await upgrade(own, waiting);
    expect([waited(), said.length]).toEqual([30_000, 1]);
    expect(await token()).toMatch(/^sealed:/);
    // There is nothing left to upgrade.
    await upgrade(own, clock(() => Promise.reject(new Error('it waits'))).waiting);
  });

  test('it waits no longer than any lease for one of a clock that runs ahead', async () => {
    const { upgrade } = await stage({ leaseUntilMs: NOW + 86_400_000 });
    const { waiting, waited } = clock();
    await upgrade(own, waiting);
    expect(waited()).toBe(LONGEST_LEASE_MS);
  });

  test.runIf(dialect === 'sqlite')(
    'another process that upgrades it meanwhile keeps its copy of the old store',
    async () => {
      const { upgrade, file, migrate, run } = await stage({ leaseUntilMs: NOW + 30_000 });
      const steps = () => run('select count(*) as steps from __drizzle_migrations');
      const [before] = await steps();
      const { waiting } = clock(() => migrate(null));
      await upgrade(own, waiting);
      const copy = new BetterSqlite(`${file}.previous`);
      onTestFinished(() => void copy.close());
      expect(copy.prepare('select count(*) as steps from __drizzle_migrations').get()).toEqual(before);
      expect(await steps()).not.toEqual([before]);
    },
  );

  test('it refuses while a bot runs, and changes nothing', async () => {
    const { upgrade, run, token } = await stage({ leaseUntilMs: NOW + 30_000 });
    const { waiting } = clock(() => run(`update bots set lease_until_ms = ${NOW + 45_000}`));
    await expect(upgrade(own, waiting)).rejects.toThrow('Stop web and bot first');
    expect(await token()).toBe(TOKEN);
    const { waiting: afterwards } = clock();
    await upgrade(own, afterwards);
    expect(await token()).toMatch(/^sealed:/);
  });

  test('of a version that leased no part of its work, it refuses while a bot runs', async () => {
    const { upgrade, run } = await stage({ leaseUntilMs: NOW + 30_000, step: LEASING });
    const { waiting } = clock(() => run(`update bots set lease_until_ms = ${NOW + 45_000}`));
    await expect(upgrade(own, waiting)).rejects.toThrow('Stop web and bot first');
    const { waiting: afterwards } = clock();
    await upgrade(own, afterwards);
  });

  test('text that changed after it was read stays as it was changed', async () => {
    const { raw, run, token } = await stage();
    const reading: RawConnection = {
      ...raw,
      async run(query, values) {
        const rows = await raw.run(query, values);
        if (query.includes('from steam_accounts'))
          await run("update steam_accounts set trade_token = 'tokenNEW'");
        return rows;
      },
    };
    await sealStored(reading, own);
    expect(await token()).toBe('tokenNEW');
  });
});
