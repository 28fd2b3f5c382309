import type { ChatLines } from '#bot/locales/en.ts';
import type { Database } from '#db/database.ts';
import { findViewer } from '#domain/account/find-viewer.ts';
import { countReadyRewards } from '#domain/reward/count-ready-rewards.ts';
import { answerRefusal } from './answer-progress.ts';
import type { PersonalAnswer } from './chat-answer.ts';
import type { ChatMessage } from './chat-message.ts';

/** `!claim`: a link, and the number of rewards of this channel that are ready to claim. */
export async function answerClaim(
  { db, publicUrl }: { db: Database; publicUrl: URL },
  { channelId, twitchId, displayName: name }: ChatMessage,
  lines: ChatLines,
): Promise<PersonalAnswer> {
  const viewer = await findViewer(db, { twitchId });
  if (!viewer.ok) return answerRefusal(viewer.code, lines, { name, url: publicUrl.origin });
  const count = await countReadyRewards(db, { userId: viewer.userId, channelId });
  const url = `${publicUrl.origin}/rewardProgress`;
  return {
    alone: count > 0 ? lines.claim.ready({ name, count, url }) : lines.claim.nothing({ name, url }),
    part: lines.together.claim({ name, count }),
  };
}
