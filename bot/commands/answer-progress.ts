import type { ChatLines } from '#bot/locales/en.ts';
import type { Database } from '#db/database.ts';
import { type ProgressRefusal, progressOfViewer, type Standing } from '#domain/view/progress-of-viewer.ts';
import type { Clock } from '#platform/clock.ts';
import { joinWithinLimit, MAX_LINE_LENGTH } from './chat-line.ts';
import type { ChatMessage } from './chat-message.ts';

/** Words why a viewer has no progress here, in the channel's language. */
export const answerRefusal = (
  code: ProgressRefusal,
  lines: Record<ProgressRefusal, (facts: { name: string; url: string }) => string>,
  facts: { name: string; url: string },
): string => lines[code](facts);

/** Rewards that need an action come first and ended ones last, because a line may not fit them all. */
const displayOrder: Readonly<Record<Standing, number>> = {
  readyToClaim: 0,
  awaitingConfirmation: 1,
  inProgress: 2,
  waiting: 3,
  outOfRewards: 4,
  claimed: 5,
  timedOut: 5,
  recalled: 5,
};

/** `!progress`: the viewer's standing under each rule of this channel. */
export async function answerProgress(
  { db, clock, publicUrl }: { db: Database; clock: Clock; publicUrl: URL },
  { channelId, twitchId, displayName: name }: ChatMessage,
  { progress: lines }: ChatLines,
): Promise<string> {
  const url = publicUrl.origin;
  const outcome = await progressOfViewer(db, { channelId, twitchId }, clock.now());
  if (!outcome.ok) return answerRefusal(outcome.code, lines, { name, url });
  const rules = outcome.rules.toSorted(
    (one, other) => displayOrder[one.standing] - displayOrder[other.standing],
  );
  const ready = rules.some((rule) => rule.standing === 'readyToClaim');
  const tail = ready ? ` ${lines.claim(`${url}/rewardProgress`)}` : '';
  const room = MAX_LINE_LENGTH - lines.some({ name, list: '' }).length - tail.length;
  return lines.some({ name, list: joinWithinLimit(rules.map(lines.rule), room, lines.more) }) + tail;
}
