import type { Database } from '#db/database.ts';
import { hasAnyProgress, listProgress } from '#domain/rule/list-progress.ts';
import { readRewards } from './my-rewards.server.ts';

/** How many nearly met rules and ended rewards a dashboard shows. */
const SHOWN = { progress: 3, past: 4 };

/** Reads a viewer's dashboard: what can be claimed now, what is nearly earned, and past rewards. */
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
