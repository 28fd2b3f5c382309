import type { BotDeps } from '#bot/deps.ts';
import { channelTurns, type Turn } from '#bot/twitch/channel/channel-turns.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { minute } from '#domain/kernel/time.ts';
import { type CandidateKind, listCandidates } from '#domain/rule/list-candidates.ts';

/**
 * Viewers who meet everything else are asked about at this interval: a list leaves people out, and a long one
 * takes its time. Domain time.
 */
const ASK_EVERY_MS = 10 * minute;
/** Number of viewers asked about at a time; the rest when it is next due. */
const MAX_ASKED = 200;
/**
 * Number of channels about whose viewers Twitch is asked at once. A rule that asks for nothing else makes
 * candidates of all accounts of the instance: all such rules have one place together, one channel after another.
 */
const PLACES: Record<CandidateKind, number> = { viewers: 5, strangers: 1 };
const kinds = ['viewers', 'strangers'] as const satisfies readonly CandidateKind[];

/** Time of a channel's last questions, and the last Twitch id asked about. Domain time. */
type Asked = Record<CandidateKind, { atMs: number; upTo: string }>;

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  missingOn: 'follow' | 'subscriber';
  /** Asks Twitch about one viewer and records the answer. Returns the number of new qualifications. */
  ask(channelId: string, twitchId: string): Promise<number>;
  onTrouble(channelId: string, error: unknown): Promise<void>;
  retryAfterMs: number;
  /** Called when a channel's place is free again. */
  wake(): void;
};

/**
 * Asks Twitch about viewers whom its list leaves out, in turns of the channels. Viewers who meet another
 * condition have places of their own, so that nobody waits until all accounts were asked about.
 */
export function askAboutViewers({ db, clock, log, missingOn, ask, onTrouble, retryAfterMs, wake }: Deps) {
  const known = new Map<string, Asked>();
  const shared = { log, retryAfterMs, wake };
  const turns = {
    viewers: channelTurns({ ...shared, places: PLACES.viewers, work: 'questions about viewers' }),
    strangers: channelTurns({ ...shared, places: PLACES.strangers, work: 'questions about accounts' }),
  };

  const askSome = async (channelId: string, kind: CandidateKind, signal: AbortSignal): Promise<void> => {
    const asked = known.get(channelId)?.[kind];
    if (!asked) return;
    const nowMs = clock.now();
    const scope = { channelId, missingOn, kind, after: asked.upTo, limit: MAX_ASKED };
    const candidates = await listCandidates(db.read, scope, nowMs);
    let qualified = 0;
    try {
      for (const twitchId of candidates) {
        if (signal.aborted) return;
        qualified += await ask(channelId, twitchId);
        asked.upTo = twitchId;
      }
    } catch (error) {
      if (!signal.aborted) await onTrouble(channelId, error);
      return;
    }
    Object.assign(asked, { atMs: nowMs, ...(candidates.length < MAX_ASKED && { upTo: '' }) });
    log.info({ channelId, missingOn, kind, asked: candidates.length, qualified }, 'viewers asked about');
  };

  return {
    /** Starts the questions that are due, to each channel not before its own time. */
    round(channels: readonly Turn[], signal: AbortSignal): NextDue {
      const wanted = new Set(channels.map(({ channelId }) => channelId));
      for (const channelId of known.keys()) if (!wanted.has(channelId)) known.delete(channelId);
      const dues: NextDue[] = [];
      for (const kind of kinds) {
        const due = channels.map(({ channelId, inMs }): Turn => {
          const asked = known.get(channelId) ?? neverAsked();
          known.set(channelId, asked);
          return { channelId, inMs: Math.max(inMs, asked[kind].atMs + ASK_EVERY_MS - clock.now()) };
        });
        if (!signal.aborted)
          dues.push(turns[kind].start(due, (channelId) => askSome(channelId, kind, signal)));
      }
      return soonest(...dues);
    },
    /** Resolves when the questions under way have ended. */
    async settle(): Promise<void> {
      await Promise.all(kinds.map((kind) => turns[kind].settle()));
    },
  };
}

const neverAsked = (): Asked => ({
  viewers: { atMs: Number.NEGATIVE_INFINITY, upTo: '' },
  strangers: { atMs: Number.NEGATIVE_INFINITY, upTo: '' },
});
