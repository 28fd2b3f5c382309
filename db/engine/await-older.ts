import type { Waiting } from './await-silence.ts';
import type { RawConnection } from './seal-stored.ts';
import { StoreRefused } from './store-refused.ts';

/** Longer than a process, or a lease of one, is known after it was killed. */
const LONGEST_WAIT_MS = 20_000;
/** Longer than a living process takes to say that it runs, once the database answers again. */
const SILENCE_MS = 12_000;
const CHECK_EVERY_MS = 1_000;
/** During an outage of the database nobody says that it runs, so a process may live on for this long after it is no longer known. */
const MISSED_MS = 10 * 60_000;
/** A time further ahead was written before the database's clock was put back. */
const LATEST_MS = 75_000;

interface Running {
  id: string;
  role: string;
  version: string;
  /** The database's time. */
  until: number;
  isKnown: boolean;
}

/**
 * Returns once no process runs that knows no step as new as this one, because it would misread what the step changes. One
 * that was killed, or that an outage of the database kept from saying that it runs, is waited for. Refused if one says
 * again that it runs, if another one comes, or if one is still known after the longest wait.
 */
export async function awaitOlder(
  which: string,
  raw: RawConnection,
  step: number,
  { wait, say }: Waiting,
): Promise<void> {
  const found = await listOlder(raw, step);
  if (found.length === 0) return;
  say('Older processes were running a moment ago. Waiting until they have ended, at most 20 seconds.');
  const known = new Map(found.map(({ id, until }) => [id, until]));
  for (let waitedMs = CHECK_EVERY_MS; waitedMs <= LONGEST_WAIT_MS; waitedMs += CHECK_EVERY_MS) {
    await wait(CHECK_EVERY_MS);
    const left = await listOlder(raw, step);
    if (left.length === 0) return;
    // An earlier time is said again too: the database's clock was put back.
    if (left.some(({ id, until }) => until !== known.get(id))) throw refuseFor(which, left);
    if (waitedMs >= SILENCE_MS && !left.some(({ isKnown }) => isKnown)) return;
  }
  await requireNoOlder(which, raw, step);
}

/** Throws if a process is known that knows no step as new as this one. */
export async function requireNoOlder(which: string, raw: RawConnection, step: number): Promise<void> {
  const running = (await listOlder(raw, step)).filter(({ isKnown }) => isKnown);
  if (running.length > 0) throw refuseFor(which, running);
}

function refuseFor(which: string, running: readonly Running[]): StoreRefused {
  const names = running.map(({ id, role, version }) => `${role} ${version} (${id})`).join(', ');
  return new StoreRefused(
    `${which} was not changed: this upgrade changes what older processes rely on, and these are running: ${names}. Stop them first, then start again.`,
  );
}

const now = {
  sqlite: "cast(unixepoch('subsec') * 1000 as integer)",
  postgres: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
};
const tablesThere = {
  sqlite: "select name from sqlite_master where type = 'table'",
  postgres: 'select table_name as name from information_schema.tables where table_schema = current_schema()',
};

/**
 * Lists them by id, with those that were known a while ago and have not said that they ended. Bots of versions that did
 * not say so are known by their leases; web processes of such are not.
 */
async function listOlder({ dialect, run }: RawConnection, step: number): Promise<Running[]> {
  const there = new Set(
    ((await run(tablesThere[dialect], [])) as { name: string }[]).map(({ name }) => name),
  );
  const isRecent = `until_ms > ${now[dialect]} - ${MISSED_MS}`;
  const isKnown = `max(until_ms) > ${now[dialect]} and max(until_ms) <= ${now[dialect]} + ${LATEST_MS}`;
  const isUnannounced = there.has('processes') ? 'holder not in (select id from processes)' : 'true';
  const ofLeases = (table: string) =>
    `select holder as id, 'bot' as role, version, until_ms from ${table} where ${isRecent} and holder is not null and ${isUnannounced}`;
  const sources = {
    processes: `select id, role, version, until_ms from processes where ${isRecent} and schema < ${step}`,
    leases: ofLeases('leases'),
    sharers: ofLeases('sharers'),
  };
  const queries = Object.entries(sources).flatMap(([table, query]) => (there.has(table) ? [query] : []));
  if (queries.length === 0) return [];
  const rows = (await run(
    `select id, role, version, max(until_ms) as until, ${isKnown} as known from (${queries.join(' union all ')}) as running group by id, role, version order by id`,
    [],
  )) as { id: string; role: string; version: string; until: number | string; known: number | boolean }[];
  return rows.map(({ known, until, ...facts }) => ({
    ...facts,
    until: Number(until),
    isKnown: Boolean(known),
  }));
}
