import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { findViewer } from '#domain/account/find-viewer.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { standingsUnder, type ViewerProgress } from '#domain/view/list-standings.ts';
import { type Presence, readPresences } from '#domain/watch-time/read-presences.ts';

export const progressRefusals = ['notLinked', 'notVerified', 'ownRules', 'noRules'] as const;
export type ProgressRefusal = (typeof progressRefusals)[number];

/**
 * Returns a Twitch user's status under each open rule of one channel, and their part in its chat; null unless it is
 * live. Refused for unregistered or unverified users,
 * for the broadcaster, and on a channel without open rules.
 */
export async function progressOfViewer(
  db: Database,
  viewer: { channelId: string; twitchId: string },
  nowMs: number,
): Promise<Outcome<{ rules: ViewerProgress[]; presence: Presence | null }, ProgressRefusal>> {
  const { channelId, twitchId } = viewer;
  const account = await findViewer(db, viewer);
  if (!account.ok) return account;
  if (twitchId === channelId) return refuse('ownRules');
  const { userId } = account;
  const open = and(eq(rules.channelId, channelId), is(rules.state, 'open'));
  const found = await standingsUnder(db, { userId, twitchId }, open, nowMs);
  if (found.length === 0) return refuse('noRules');
  const presences = await readPresences(db.read, { userId, channelIds: [channelId] }, nowMs);
  return done({ presence: presences.get(channelId) ?? null, rules: found });
}
