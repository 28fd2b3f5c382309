import type { ChatLines } from '#bot/locales/en.ts';
import type { Database } from '#db/database.ts';
import { minute } from '#domain/kernel/time.ts';
import type { Standing, ViewerProgress } from '#domain/view/list-standings.ts';
import { type ProgressRefusal, progressOfViewer } from '#domain/view/progress-of-viewer.ts';
import type { Presence } from '#domain/watch-time/read-presences.ts';
import type { Clock } from '#platform/clock.ts';
import type { PersonalAnswer } from './chat-answer.ts';
import { joinWithinLimit, MAX_LINE_LENGTH } from './chat-line.ts';
import type { ChatMessage } from './chat-message.ts';

/** Words why a viewer has no progress here, in the channel's language. */
export const answerRefusal = (
  code: ProgressRefusal,
  { progress, together }: ChatLines,
  facts: { name: string; url: string },
): PersonalAnswer => ({ alone: progress[code](facts), part: together.refusal[code](facts) });

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

/** Returns whether time in the chat brings the viewer closer to a reward. */
const isEarningHere = ({ standing, progress: { watch, streams } }: ViewerProgress): boolean =>
  standing === 'inProgress' && [watch, streams].some((each) => each && !each.met);

/**
 * Says whether the last look at the chat's list found the viewer. Why their time does not count is for them alone, so
 * the line leads to their own page.
 */
function presenceLine(
  presence: Presence,
  lines: ChatLines['progress'],
  origin: string,
  nowMs: number,
): string {
  const { lookedAtMs } = presence;
  if (lookedAtMs === null) return lines.notLooked;
  const minutes = Math.max(0, Math.floor((nowMs - lookedAtMs) / minute));
  return lines.inChat[presence.is]({ minutes, url: `${origin}/rewardProgress` });
}

/** `!progress`: the viewer's standing under each rule of this channel. */
export async function answerProgress(
  { db, clock, publicUrl }: { db: Database; clock: Clock; publicUrl: URL },
  { channelId, twitchId, displayName: name }: ChatMessage,
  texts: ChatLines,
): Promise<PersonalAnswer> {
  const { progress: lines, together } = texts;
  const url = publicUrl.origin;
  const outcome = await progressOfViewer(db, { channelId, twitchId }, clock.now());
  if (!outcome.ok) return answerRefusal(outcome.code, texts, { name, url });
  const rules = outcome.rules.toSorted(
    (one, other) => displayOrder[one.standing] - displayOrder[other.standing],
  );
  const ready = rules.some((rule) => rule.standing === 'readyToClaim');
  const isEarning = rules.some(isEarningHere);
  const seen = isEarning && outcome.presence && presenceLine(outcome.presence, lines, url, clock.now());
  const more = [...(seen ? [seen] : []), ...(ready ? [lines.claim(`${url}/rewardProgress`)] : [])];
  const tail = more.map((text) => ` · ${text}`).join('');
  const room = MAX_LINE_LENGTH - lines.some({ name, list: '' }).length - tail.length;
  const list = rules.map(lines.rule);
  const is = isEarning && outcome.presence ? outcome.presence.is : null;
  return {
    alone: lines.some({ name, list: joinWithinLimit(list, room, lines.more) }) + tail,
    part: together.progress({ name, rule: list[0] ?? '', others: list.length - 1, is }),
  };
}
