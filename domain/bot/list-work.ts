import { and, eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isNotMigrated } from '#db/error-code.ts';
import { processes } from '#db/schema/process.ts';
import { type ListedLease, listLeases } from './list-leases.ts';
import { roleOf } from './role-of.ts';
import { isPast, type LeaseName } from './take-leases.ts';
import { slotNames } from './take-slots.ts';

/** The kinds of a bot's work, in the order in which they are listed. */
const workKinds = ['steam', 'twitch', 'slots', 'chat', 'mails', 'pushes', 'billing', 'housekeeping'] as const;
type WorkKind = (typeof workKinds)[number];

/** Leases of one kind that one process has, or that nobody has. */
export interface ListedWork {
  kind: WorkKind;
  /** The slots of channels, such as `0–15, 20`, or the chat accounts; empty for work that is not divided. */
  places: string;
  leases: number;
  /** The process, and where it answers; null and empty if nobody does the work. */
  holder: string | null;
  address: string;
  version: string;
  lowestEpoch: number;
  highestEpoch: number;
  /** The sum of their epochs: how often they have come to another process. */
  epochs: number;
  /** The time at which the process took the last of them; 0 if a version before did not store it. */
  sinceMs: number;
  /** Milliseconds until all of them are free unless they are renewed; 0 if nobody has them. */
  leftMs: number;
  /**
   * The addresses of the other processes that run and have the role that the work belongs to: one of them takes over. A
   * process of a version that does not say its roles is missing.
   */
  heirs: string[];
}

/** Lists who does which part of the bot's work, the leases of one kind and process together. */
export async function listWork(q: Reader): Promise<ListedWork[]> {
  const listed = await listLeases(q);
  const running = await listRunning(q);
  const groups = new Map<string, ListedLease[]>();
  for (const lease of listed) {
    const key = `${kindOf(lease)} ${lease.leftMs > 0 ? lease.holder : ''}`;
    groups.set(key, [...(groups.get(key) ?? []), lease]);
  }
  return [...groups.values()]
    .map((leases) => workOf(leases, running))
    .sort(
      (a, b) => workKinds.indexOf(a.kind) - workKinds.indexOf(b.kind) || a.address.localeCompare(b.address),
    );
}

/** A bot process that runs. */
interface Running {
  id: string;
  address: string;
  roles: readonly string[];
}

/** Nobody is named before an upgrade: an older version's processes did not store their roles. */
function noneBeforeUpgrade(error: unknown): [] {
  if (isNotMigrated(error)) return [];
  throw error;
}

async function listRunning(q: Reader): Promise<Running[]> {
  const { id, address, roles, role, untilMs } = processes;
  const rows = await q
    .select({ id, address, roles })
    .from(processes)
    .where(and(eq(role, 'bot'), sql`not ${isPast(untilMs)}`))
    .catch(noneBeforeUpgrade);
  return rows.map((row) => ({ ...row, roles: row.roles.split(',') }));
}

const kindOf = ({ name }: ListedLease): WorkKind =>
  slotNames.includes(name as LeaseName) ? 'slots' : (name.split(':')[0] as WorkKind);

function workOf(leases: readonly ListedLease[], running: readonly Running[]): ListedWork {
  const [first] = leases as readonly [ListedLease, ...ListedLease[]];
  const isHeld = first.leftMs > 0;
  const epochs = leases.map(({ epoch }) => epoch);
  const needed = roleOf(first.name as LeaseName);
  // A chat account's holder is named apart from its process, whose address it has.
  const isSame = ({ id, address }: Running) =>
    id === first.holder || (kindOf(first) === 'chat' && address === first.address);
  const isHolder = (each: Running) => isHeld && isSame(each);
  const heirs = running.filter((each) => each.roles.includes(needed) && !isHolder(each));
  return {
    kind: kindOf(first),
    places: placesOf(leases),
    leases: leases.length,
    holder: isHeld ? first.holder : null,
    address: isHeld ? first.address : '',
    version: isHeld ? first.version : '',
    lowestEpoch: Math.min(...epochs),
    highestEpoch: Math.max(...epochs),
    epochs: epochs.reduce((sum, epoch) => sum + epoch, 0),
    sinceMs: isHeld ? Math.max(...leases.map(({ takenAtMs }) => takenAtMs)) : 0,
    leftMs: Math.max(...leases.map(({ leftMs }) => leftMs)),
    heirs: [...new Set(heirs.map(({ address }) => address))].sort(),
  };
}

function placesOf(leases: readonly ListedLease[]): string {
  const places = leases.flatMap(({ name }) => name.split(':').slice(1));
  const [kind] = leases.map(kindOf);
  if (kind === 'twitch') return '';
  return kind === 'slots' ? rangesOf(places.map(Number).sort((a, b) => a - b)) : places.sort().join(', ');
}

/** Joins sorted numbers, each row of consecutive ones as its ends. */
function rangesOf(numbers: readonly number[]): string {
  const rows: [number, number][] = [];
  for (const number of numbers) {
    const last = rows.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else rows.push([number, number]);
  }
  return rows.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
