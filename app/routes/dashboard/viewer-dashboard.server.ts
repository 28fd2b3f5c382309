import { cardsOf } from '#app/services/channels/channel-cards.server.ts';
import { readRewards } from '#app/services/items/my-rewards.server.ts';
import type { Database } from '#db/database.ts';
import { listChannels } from '#domain/channel/list-channels.ts';
import { hasAnyProgress, listProgress } from '#domain/view/list-progress.ts';
import { nearestRules } from './nearest-rules.server.ts';

/** Number of nearly met rules, ended rewards and live channels that a dashboard shows. */
const SHOWN = { progress: 3, past: 4, live: 3 };
/** Number of rules of which those closest to being met are shown. */
const COMPARED = 12;

/**
 * Reads a viewer's dashboard: rewards to claim now, rewards nearly earned, past rewards, and live channels.
 */
export async function readViewerDashboard(db: Database, { userId }: { userId: string }, nowMs: number) {
  const { outageMs, ready, awaiting, delivered, past } = await readRewards(db, { userId }, nowMs);
  const progress = (await hasAnyProgress(db, { userId }))
    ? await listProgress(db, { userId, status: 'inProgress', size: COMPARED }, nowMs)
    : null;
  const live = await listChannels(db, { live: true, size: SHOWN.live });
  return {
    nowMs,
    outageMs,
    ready,
    awaiting,
    delivered,
    past: past.slice(0, SHOWN.past),
    progress: nearestRules(progress?.rows ?? [], SHOWN.progress),
    live: await cardsOf(db, live.rows),
  };
}

export type ViewerDashboard = Awaited<ReturnType<typeof readViewerDashboard>>;
