import type { ChatLines } from '#bot/locales/en.ts';
import type { Database } from '#db/database.ts';
import { listOpenRules } from '#domain/rule/list-open-rules.ts';
import { joinWithinLimit, MAX_LINE_LENGTH } from './chat-line.ts';

/** `!rewards`: rewards that can be earned on this channel now. */
export async function answerRewards(
  { db, publicUrl }: { db: Database; publicUrl: URL },
  { channelId }: { channelId: string },
  { rewards: lines }: ChatLines,
): Promise<string> {
  const open = await listOpenRules(db, channelId);
  const parts = open.filter((rule) => rule.freeRewards > 0 && !rule.pointsRefused).map(lines.rule);
  if (parts.length === 0) return lines.none();
  const url = publicUrl.origin;
  const room = MAX_LINE_LENGTH - lines.some({ list: '', url }).length;
  return lines.some({ list: joinWithinLimit(parts, room, lines.more), url });
}
