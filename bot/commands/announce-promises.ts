import type { BotDeps } from '#bot/deps.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';
import type { RaffleAnnouncement } from '#db/schema/twitch.ts';
import { putBackAnnouncement } from '#domain/chat/put-back-announcement.ts';
import { type ChatAnnouncement, STALE_AFTER_MS, takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { second } from '#domain/kernel/time.ts';
import { recordAnnounced } from '#domain/raffle/record-announced.ts';
import { steadyMs } from '#platform/steady-time.ts';
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

/** A chat that did not take a closed list gets nothing for so long, so that it is not tried at every round. Steady time. */
const REST_MS = 15 * second;

/**
 * Announces new promises in the channels that want it, open rules where their owners ask for it, and raffles. Taking an
 * announcement deletes it, so it is sent once at most; a closed list that its chat does not take is put back.
 */
export function announcePromises({
  db,
  clock,
  config,
  log,
}: Pick<BotDeps, 'db' | 'clock' | 'config' | 'log'>) {
  /** The chats that rest, by login, and until when. */
  const resting = new Map<string, number>();
  /** The draw waits for this, or for its deadline if it cannot be recorded. */
  const taken = ({ raffleId }: { raffleId: string }): void => {
    recordAnnounced(db, { raffleId }, clock.now()).catch((error) =>
      log.error({ err: error, raffleId }, 'could not record that a closed list was announced'),
    );
  };
  /** Has a line with a closed list counted, pinned, and put back while there is time to send it. */
  const sealed = (announcement: ChatAnnouncement, raffleId: string): Omit<Line, 'channelLogin' | 'text'> => ({
    onTaken: () => taken({ raffleId }),
    onUnsent() {
      resting.set(announcement.channelLogin, steadyMs() + REST_MS);
      putBackAnnouncement(db, announcement).catch((error) =>
        log.error({ err: error, raffleId }, 'could not put the announcement of a closed list back'),
      );
    },
    untilMs: steadyMs() + announcement.createdAtMs + STALE_AFTER_MS - clock.now(),
    isPinned: true,
  });
  return async (channelLogins: readonly string[], limit: number): Promise<Line[]> => {
    for (const [login, untilMs] of resting) if (untilMs <= steadyMs()) resting.delete(login);
    const awake = channelLogins.filter((login) => !resting.has(login));
    const announcements = await takeAnnouncements(db, { channelLogins: awake, limit }, clock.now());
    const lines = await Promise.all(
      announcements.map(async (announcement) => {
        const { channelId, channelLogin, names, others, ruleName: rule, line, raffle } = announcement;
        if (raffle !== null) {
          const lines = await chatLinesOf(db, channelId);
          const at = { origin: config.publicUrl.origin, nowMs: clock.now() };
          const how =
            raffle.kind === 'sealed'
              ? sealed(announcement, raffle.raffleId)
              : { isAnnouncement: isHighlighted[raffle.kind] };
          return raffleLines(lines.raffle, raffle, at).map((text) => ({ channelLogin, text, ...how }));
        }
        if (line !== null) return { channelLogin, text: cutLine(line), isAnnouncement: true };
        const { promised } = await chatLinesOf(db, channelId);
        const url = `${config.publicUrl.origin}/rewardProgress`;
        const named = names.map((name) => `@${name}`).join(', ');
        const text = cutLine(promised.line({ names: named, others, rule, url }));
        return { channelLogin, text, isAnnouncement: true };
      }),
    );
    return lines.flat();
  };
}
