import type { BotDeps, BotPart, PartReport } from '#bot/deps.ts';
import { atIntervals, startWorker } from '#bot/worker.ts';
import { listLeases } from '#domain/bot/list-leases.ts';
import type { LeaseName } from '#domain/bot/take-leases.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

const CHECK_MS = 15 * second;
/** Work of a killed process has been taken over by then. */
const VACANT_MS = minute;

/** The work that some process has to do, and its name in reports. The first slot of Twitch stands for all slots. */
const names = {
  steam: 'steam',
  'twitch:0': 'twitch',
  housekeeping: 'housekeeping',
  billing: 'billing',
  mails: 'mails',
  pushes: 'pushes',
} as const satisfies Partial<Record<LeaseName, string>>;

/** Reports what no process has done for a minute: a process leaves to others what is not among its BOT_ROLES. */
export function watchRoles(
  { db, log }: Pick<BotDeps, 'db' | 'log'>,
  { checkMs = CHECK_MS, now = steadyMs }: { checkMs?: number; now?: () => number } = {},
): BotPart {
  let sinceMs: ReadonlyMap<string, number> | null = null;
  async function check(): Promise<void> {
    const before = sinceMs;
    // While the database is away nobody can renew a lease.
    sinceMs = null;
    const listed = await listLeases(db.read, Object.keys(names));
    const held = new Set(listed.flatMap(({ name, leftMs }) => (leftMs > 0 ? [name] : [])));
    const vacant = Object.entries(names).filter(([lease]) => !held.has(lease));
    sinceMs = new Map(vacant.map(([, name]) => [name, before?.get(name) ?? now()]));
  }
  const worker = startWorker({
    name: 'watch-roles',
    everyMs: checkMs,
    run: atIntervals(checkMs, check),
    longestPauseMs: checkMs,
    log,
  });
  const report = (): PartReport => {
    const vacant = [...(sinceMs ?? [])].flatMap(([name, since]) =>
      now() - since >= VACANT_MS ? [name] : [],
    );
    return vacant.length > 0
      ? { state: 'faulty', detail: `no process does ${vacant.join(', ')}` }
      : { state: 'ready' };
  };
  return { report: () => ({ roles: report() }), nudge() {}, stop: () => worker.stop() };
}
