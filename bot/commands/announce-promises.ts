import type { BotDeps } from '#bot/deps.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';
import { takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { recordAnnounced } from '#domain/raffle/record-announced.ts';
import { chatLinesOf } from './chat-languages.ts';
import { cutLine } from './chat-line.ts';
import { raffleLines } from './raffle-line.ts';

/**
 * Announces new promises in the channels that want it, open rules where their owners ask for it, and raffles. Taking an
 * announcement deletes it, so it is sent once at most.
 */
export function announcePromises({
  db,
  clock,
  config,
  log,
}: Pick<BotDeps, 'db' | 'clock' | 'config' | 'log'>) {
  /** The draw waits for this, or for its deadline if it cannot be recorded. */
  const taken = ({ raffleId }: { raffleId: string }): void => {
    recordAnnounced(db, { raffleId }, clock.now()).catch((error) =>
      log.error({ err: error, raffleId }, 'could not record that a closed list was announced'),
    );
  };
  return async (channelLogins: readonly string[], limit: number): Promise<Line[]> => {
    const announcements = await takeAnnouncements(db, { channelLogins, limit }, clock.now());
    const lines = await Promise.all(
      announcements.map(
        async ({ channelId, channelLogin, names, others, ruleName: rule, line, raffle: announcement }) => {
          if (announcement !== null) {
            const { raffle } = await chatLinesOf(db, channelId);
            const at = { origin: config.publicUrl.origin, nowMs: clock.now() };
            const isSealed = announcement.kind === 'sealed';
            const watched = isSealed && { onTaken: () => taken(announcement), isPinned: true as const };
            return raffleLines(raffle, announcement, at).map((text) => ({ channelLogin, text, ...watched }));
          }
          if (line !== null) return { channelLogin, text: cutLine(line) };
          const { promised } = await chatLinesOf(db, channelId);
          const url = `${config.publicUrl.origin}/rewardProgress`;
          const named = names.map((name) => `@${name}`).join(', ');
          return { channelLogin, text: cutLine(promised.line({ names: named, others, rule, url })) };
        },
      ),
    );
    return lines.flat();
  };
}
