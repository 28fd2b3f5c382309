import type { LeasedDeps } from '#bot/leases.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';
import type { RaffleAnnouncement } from '#db/schema/twitch.ts';
import { putBackAnnouncement } from '#domain/chat/put-back-announcement.ts';
import { type ChatAnnouncement, STALE_AFTER_MS, takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { newId } from '#domain/kernel/id.ts';
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

/** A chat that did not take an announcement gets none for so long, so that it is not tried at every round. Steady time. */
const REST_MS = 15 * second;

type How = Omit<Line, 'channelLogin' | 'text'>;

/**
 * Announces new promises in the channels that want it, open rules where their owners ask for it, and raffles. Taking an
 * announcement deletes it, so it is sent once at most; one that its chat does not take now is put back while it is of use,
 * also after the lease: nobody else can.
 */
export function announcePromises({
  db,
  clock,
  config,
  log,
  lease,
}: Pick<LeasedDeps, 'db' | 'clock' | 'config' | 'log' | 'lease'>) {
  /** The chats that rest, by login, and until when. */
  const resting = new Map<string, number>();
  /** The draw waits for this, or for its deadline if it cannot be recorded. */
  const taken = ({ raffleId }: { raffleId: string }): void => {
    recordAnnounced(lease.store, { raffleId }, clock.now()).catch((error) =>
      log.error({ err: error, raffleId }, 'could not record that a closed list was announced'),
    );
  };
  const sealed = (raffleId: string): How => ({ onTaken: () => taken({ raffleId }), isPinned: true });
  const isResting = (channelLogin: string): boolean => (resting.get(channelLogin) ?? 0) > steadyMs();
  /** Has a line put back, once, if its chat does not take it now; a closed list also if the reason is not known to pass. */
  const held = (announcement: ChatAnnouncement): How => {
    const { channelId, channelLogin } = announcement;
    let isBack = false;
    const putBack = (): void => {
      if (isBack) return;
      isBack = true;
      if (!isResting(channelLogin)) resting.set(channelLogin, steadyMs() + REST_MS);
      putBackAnnouncement(lease.store, announcement).catch((error) =>
        log.error({ err: error, channelId }, 'could not put an announcement back'),
      );
    };
    return {
      untilMs: steadyMs() + usefulUntilMs(announcement) - clock.now(),
      isResting: () => isResting(channelLogin),
      onUnsent: putBack,
      ...(announcement.raffle?.kind === 'sealed' && { onRefused: putBack }),
    };
  };
  /** Words an announcement. */
  const wordsOf = async (announcement: ChatAnnouncement): Promise<{ texts: string[]; how: How }> => {
    const { channelId, names, others, ruleName: rule, line, raffle } = announcement;
    if (line !== null) return { texts: [cutLine(line)], how: { isAnnouncement: true } };
    const lines = await chatLinesOf(db, channelId);
    if (raffle !== null) {
      const at = { origin: config.publicUrl.origin, nowMs: clock.now() };
      const isSealed = raffle.kind === 'sealed';
      const how = isSealed ? sealed(raffle.raffleId) : { isAnnouncement: isHighlighted[raffle.kind] };
      return { texts: raffleLines(lines.raffle, raffle, at), how };
    }
    const url = `${config.publicUrl.origin}/rewardProgress`;
    const named = names.map((name) => `@${name}`).join(', ');
    const text = cutLine(lines.promised.line({ names: named, others, rule, url }));
    return { texts: [text], how: { isAnnouncement: true } };
  };
  return async (channelLogins: readonly string[], limit: number): Promise<Line[]> => {
    for (const login of resting.keys()) if (!isResting(login)) resting.delete(login);
    const awake = channelLogins.filter((login) => !isResting(login));
    const announcements = await takeAnnouncements(db, { channelLogins: awake, limit }, clock.now());
    const lines = await Promise.all(
      announcements.map(async (announcement) => {
        const { channelLogin } = announcement;
        const { texts, how } = await wordsOf(announcement);
        return texts.map((text) => {
          const alone = texts.length === 1 ? announcement : lineOf(announcement, text);
          return { channelLogin, text, ...how, ...held(alone) };
        });
      }),
    );
    return lines.flat();
  };
}

/** The domain time after which an announcement is of no use; nobody can enter a raffle any more that has ended. */
const usefulUntilMs = ({ createdAtMs, raffle }: ChatAnnouncement): number =>
  Math.min(
    createdAtMs + STALE_AFTER_MS,
    raffle?.kind === 'started' ? raffle.endsAtMs : Number.POSITIVE_INFINITY,
  );

/** One of several lines of an announcement, as an announcement of its own that is as old. */
const lineOf = (
  { channelId, channelLogin, createdAtMs }: ChatAnnouncement,
  line: string,
): ChatAnnouncement => ({
  ...{ id: newId(createdAtMs), channelId, channelLogin, createdAtMs, line },
  ...{ names: [], others: 0, ruleName: '', raffle: null },
});
