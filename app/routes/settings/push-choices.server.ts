import type { Database } from '#db/database.ts';
import { type PushEvent, pushEvents } from '#db/schema/push.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { pushNeedsPlan } from '#domain/push/push-events.ts';

/** An event of which devices can be told, as the settings show it. */
export interface PushChoice {
  event: PushEvent;
  /** True if the user's plan leaves it out. */
  needsPlan: boolean;
}

/** Lists the events of which an account's devices can be told, and those that only another plan would bring. */
export async function listPushChoices(
  { read }: Database,
  { userId }: { userId: string },
  nowMs: number,
): Promise<PushChoice[]> {
  const { rewardMails } = await limitsOf(read, userId, nowMs);
  return pushEvents.map((event) => ({ event, needsPlan: pushNeedsPlan(event) && !rewardMails }));
}
