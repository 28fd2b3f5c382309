import type { BotDeps } from '#bot/deps.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';
import type { RaffleAnnouncement } from '#db/schema/twitch.ts';
import { takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { recordAnnounced } from '#domain/raffle/record-announced.ts';
import { chatLinesOf } from './chat-languages.ts';
import { cutLine } from './chat-line.ts';
import { raffleLines } from './raffle-line.ts';

/** True for what Twitch should highlight of a raffle: not for lines that come again and again. A closed list is pinned instead. */
const isHighlighted: Record<Exclude<RaffleAnnouncement['kind'], 'sealed'>, boolean> = {
  started: true,
  entered: false,
  elsewhere: false,
  drawn: true,
  nobody: true,
};

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
            const watched =
              announcement.kind === 'sealed'
                ? { onTaken: () => taken(announcement), isPinned: true as const }
                : { isAnnouncement: isHighlighted[announcement.kind] };
            return raffleLines(raffle, announcement, at).map((text) => ({ channelLogin, text, ...watched }));
          }
          if (line !== null) return { channelLogin, text: cutLine(line), isAnnouncement: true };
          const { promised } = await chatLinesOf(db, channelId);
          const url = `${config.publicUrl.origin}/rewardProgress`;
          const named = names.map((name) => `@${name}`).join(', ');
          const text = cutLine(promised.line({ names: named, others, rule, url }));
          return { channelLogin, text, isAnnouncement: true };
        },
      ),
    );
    return lines.flat();
  };
}
