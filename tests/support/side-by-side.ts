// An upgrade while processes of an older version run, on either database.
import { expect } from 'vitest';
import type { Waiting } from '#db/engine/await-silence.ts';
import type { migrationsFolder } from '#db/migrate.ts';
import { stepsWith } from '#tests/support/landed-steps.ts';

/** A store that has had all landed steps. */
interface UpgradedStore {
  dialect: keyof typeof migrationsFolder;
  /** Its name in messages. */
  name: string;
  migrate(folder: string, waiting: Waiting): Promise<void>;
  run(query: string): Promise<unknown[]>;
}

const addition = '-- expands\ncreate table remarks (id text primary key);';
const change = 'alter table mails drop column last_error;';
const later = 'create table more_remarks (id text primary key);';
const hour = 3_600_000;
/** As long as a process is known after it last said that it runs. */
const IN_FORCE_MS = 15_000;

const waitingFor = (wait: () => Promise<unknown>) => {
  const said: string[] = [];
  let waits = 0;
  return {
    said,
    waits: () => waits,
    now: Date.now,
    say: (line: string) => void said.push(line),
    wait: () => {
      waits += 1;
      return wait();
    },
  };
};
const noWait = waitingFor(() => Promise.reject(new Error('it waited')));

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it succeeded',
    ({ message }: Error) => message,
  );

/** Makes a process known that knows the newest landed step, or one so much newer, for so long. */
const announce = (store: UpgradedStore, id: string, { ahead = 0, forMs = IN_FORCE_MS } = {}) =>
  store.run(
    `insert into processes (id, role, version, schema, until_ms) select '${id}', 'web', '0.9.${ahead}', max(created_at) + ${ahead}, ${Date.now() + forMs} from ${stepsIn(store)}`,
  );
/** Lets a process say again that it runs. */
const renew = (store: UpgradedStore, id: string) =>
  store.run(`update processes set until_ms = ${Date.now() + IN_FORCE_MS + 1} where id = '${id}'`);
const stepsIn = ({ dialect }: UpgradedStore) =>
  dialect === 'sqlite' ? '__drizzle_migrations' : 'drizzle.__drizzle_migrations';

async function countSteps(store: UpgradedStore): Promise<number> {
  const [row] = (await store.run(`select count(*) as steps from ${stepsIn(store)}`)) as { steps: number }[];
  return Number(row?.steps);
}

export const sideBySide: Record<string, (store: UpgradedStore) => Promise<void>> = {
  async 'Beside a running process a step that only adds is taken, and one that changes something is refused, until it has ended'(
    store,
  ) {
    const steps = await countSteps(store);
    await announce(store, 'host:1:old');
    await announce(store, 'host:2:newest', { ahead: 9 });
    await store.migrate(stepsWith(store.dialect, addition), noWait);
    expect(await countSteps(store)).toBe(steps + 1);
    const living = waitingFor(() => renew(store, 'host:1:old'));
    const both = stepsWith(store.dialect, addition, change, later);
    expect(await messageOf(store.migrate(both, living))).toBe(
      `${store.name} was not changed: this upgrade changes what older processes rely on, and these are running: web 0.9.0 (host:1:old). Stop them first, then start again.`,
    );
    expect([await countSteps(store), living.waits(), living.said.length]).toEqual([steps + 1, 1, 1]);
    await store.run("delete from processes where id = 'host:1:old'");
    await store.migrate(both, noWait);
    expect(await countSteps(store)).toBe(steps + 3);
  },

  async 'A process that was killed is waited for, and one that was seen long ago is not'(store) {
    const steps = await countSteps(store);
    await announce(store, 'host:1:gone', { forMs: -hour });
    await store.migrate(stepsWith(store.dialect, later), noWait);
    await announce(store, 'host:1:killed');
    const lapsing = waitingFor(async () => {
      if (lapsing.waits() === 3)
        await store.run("update processes set until_ms = 1 where id = 'host:1:killed'");
    });
    await store.migrate(stepsWith(store.dialect, later, change), lapsing);
    expect([await countSteps(store), lapsing.waits()]).toEqual([steps + 2, 3]);
    expect(lapsing.said).toEqual([
      'Older processes were running a moment ago. Waiting until they have ended, at most 20 seconds.',
    ]);
  },

  async 'A process that an outage of the database kept silent is noticed when it is back, and waited for until it must be'(
    store,
  ) {
    const steps = await countSteps(store);
    const folder = stepsWith(store.dialect, change);
    await announce(store, 'host:1:silent', { forMs: -3_000 });
    const back = waitingFor(async () => {
      if (back.waits() === 5) await renew(store, 'host:1:silent');
    });
    expect(await messageOf(store.migrate(folder, back))).toContain('are running: web 0.9.0 (host:1:silent).');
    expect([await countSteps(store), back.waits()]).toEqual([steps, 5]);
    await store.run(`update processes set until_ms = ${Date.now() - 3_000}`);
    const silent = waitingFor(async () => {});
    await store.migrate(folder, silent);
    expect([await countSteps(store), silent.waits()]).toEqual([steps + 1, 12]);
  },

  async 'A process that stays known without saying anything is not passed over'(store) {
    const steps = await countSteps(store);
    await announce(store, 'host:1:known', { forMs: IN_FORCE_MS * 4 });
    const known = waitingFor(async () => {});
    expect(await messageOf(store.migrate(stepsWith(store.dialect, change), known))).toContain(
      'are running: web 0.9.0 (host:1:known).',
    );
    expect([await countSteps(store), known.waits()]).toEqual([steps, 20]);
  },

  async 'A time that was written before the clock was put back holds up nothing, unless the process says again that it runs'(
    store,
  ) {
    const folder = stepsWith(store.dialect, change);
    await announce(store, 'host:1:ahead', { forMs: hour });
    const living = waitingFor(() => renew(store, 'host:1:ahead'));
    expect(await messageOf(store.migrate(folder, living))).toContain('(host:1:ahead)');
    await store.run(`update processes set until_ms = ${Date.now() + hour}`);
    const gone = waitingFor(async () => {});
    await store.migrate(folder, gone);
    expect(gone.waits()).toBe(12);
  },

  async 'A process that comes while another is waited for is noticed'(store) {
    await announce(store, 'host:1:killed');
    const coming = waitingFor(() => announce(store, 'host:2:restarted'));
    expect(await messageOf(store.migrate(stepsWith(store.dialect, change), coming))).toContain(
      'web 0.9.0 (host:1:killed), web 0.9.0 (host:2:restarted)',
    );
  },

  async 'A bot of a version that was not announced is known by its lease, or by its share'(store) {
    await announce(store, 'host:3:announced', { ahead: 9 });
    const columns = '(name, holder, epoch, taken_at_ms, until_ms, address, version)';
    for (const [name, holder] of [
      ['steam', 'host:1:bot'],
      ['mails', 'host:3:announced'],
    ])
      await store.run(
        `insert into leases ${columns} values ('${name}', '${holder}', 1, 1, ${Date.now() + IN_FORCE_MS}, '', '0.8.0')`,
      );
    await store.run(
      `insert into sharers (holder, until_ms, address, version) values ('host:2:idle', ${Date.now() + IN_FORCE_MS}, '', '0.8.1')`,
    );
    const living = waitingFor(() => store.run('update sharers set until_ms = until_ms + 1'));
    expect(await messageOf(store.migrate(stepsWith(store.dialect, change), living))).toContain(
      'these are running: bot 0.8.0 (host:1:bot), bot 0.8.1 (host:2:idle).',
    );
  },

  async 'An older version starts on what a newer one only added to, and not on what one changed'(store) {
    const old = stepsWith(store.dialect);
    await store.migrate(stepsWith(store.dialect, addition), noWait);
    const steps = await countSteps(store);
    await store.migrate(old, noWait);
    expect(await countSteps(store)).toBe(steps);
    await store.migrate(stepsWith(store.dialect, addition, later), noWait);
    expect(await messageOf(store.migrate(old, noWait))).toMatch(/has the schema of a newer version/);
  },
};
