import type { Database } from '#db/database.ts';
import { hasAnyProgress, listProgress } from '#domain/rule/list-progress.ts';
import { readRewards } from './my-rewards.server.ts';

/** Rules that are nearly met, and ended rewards, that a dashboard shows. */
const SHOWN = { progress: 3, past: 4 };

/** Reads what a viewer's dashboard shows: what can be taken now first, then what is nearly earned, then the past. */
export async function readViewerDashboard(database: Database, { userId }: { userId: string }, nowMs: number) {
  const { outageMs, ready, awaiting, delivered, past } = await readRewards(database, { userId }, nowMs);
  const progress = (await hasAnyProgress(database, { userId }))
    ? await listProgress(database, { userId, status: 'inProgress', size: SHOWN.progress }, nowMs)
    : null;
  return {
    nowMs,
    outageMs,
    ready,
    awaiting,
    delivered,
    past: past.slice(0, SHOWN.past),
    progress: progress?.rows ?? [],
  };
}

export type ViewerDashboard = Awaited<ReturnType<typeof readViewerDashboard>>;
