import { second } from '#domain/kernel/time.ts';
import { harmlessText } from '#platform/harmless.ts';
import { steadyMs } from '#platform/steady-time.ts';

/**
 * Twitch mutes an account for half an hour when it sends more than this. A line sooner than `gapMs` after the last one
 * in the same channel is dropped, unless the account moderates there. Announcements keep a distance of their own, also where
 * they are plain lines.
 */
export const chatLimits = {
  everyone: 20,
  moderator: 100,
  windowMs: 30 * second,
  gapMs: 1100,
  announcementGapMs: 2100,
} as const;
/**
 * Twitch drops a line that equals one of the last half minute; an invisible character makes them differ. It is
 * one that Twitch keeps: since 2025 it removes U+E0000 and the rest of that block (Chatterino/chatterino2 pull
 * 6417). The space keeps it out of a link at the line's end.
 */
const VARIATION = ' \u034f';
/** An answer older than this is no longer useful. */
const MAX_AGE_MS = 30 * second;
const MAX_QUEUE = 100;
/** A line that waits for longer needs its chat to be checked again. */
const KNOWN_FOR_MS = second;

export interface Line {
  channelLogin: string;
  text: string;
  /** Called once Twitch has taken the line, with its id there; null if Twitch did not say it. */
  onTaken?(messageId: string | null): void;
  /** Called if Twitch has not taken the line, for a reason that passes. Not if it may be in the chat, or comes too late. */
  onUnsent?(): void;
  /** Called if Twitch refused the line for its words, or for a reason that is not known to pass. */
  onRefused?(): void;
  /** Returns whether its chat is known to take none now: the line is not tried then, which costs the account nothing. */
  isResting?(): boolean;
  /** The time after which the line is not sent; without it, a waiting line is dropped at a certain age. Steady time. */
  untilMs?: number;
  /** True if it is to be pinned for some minutes, where Twitch lets us. */
  isPinned?: true;
  /** True if Twitch should highlight it. */
  isAnnouncement?: boolean;
}

/** A line with a number of its own, by which a port reports its result. */
export type SentLine = Line & { id: number };

/** `knownAtMs` is when the line's chat was looked at again, if it was. */
type TimedLine = SentLine & { atMs: number; knownAtMs?: number; isSecondAttempt?: true };

/** `unknown`: the queue has forgotten the line, or sends nothing any more. */
type Resent = 'again' | 'givenUp' | 'unknown';

interface QueueOptions {
  /** Returns whether the line was sent; a line that was not is neither counted nor retried. */
  send(line: SentLine): boolean;
  isModerator(channelLogin: string): boolean;
  /**
   * Learns again what has to be known of a chat before a line that has waited is written there. Never throws; null if
   * nothing has to be.
   */
  checkAgain?(channelLogin: string): Promise<void> | null;
  now?: () => number;
}

/** Varies the line's text until none of its channel's recent lines is the same. */
function differing({ channelLogin, text }: Line, sent: readonly TimedLine[]): string {
  const texts = new Set(sent.flatMap((one) => (one.channelLogin === channelLogin ? one.text : [])));
  let varied = text;
  while (texts.has(varied)) varied += VARIATION;
  return varied;
}

const isTooLate = ({ untilMs, atMs }: TimedLine, nowMs: number): boolean =>
  nowMs >= (untilMs ?? atMs + MAX_AGE_MS);

const inWindow = (sent: readonly TimedLine[], nowMs: number) =>
  sent.filter(({ atMs }) => atMs >= nowMs - chatLimits.windowMs);

/** Returns when Twitch takes the next line in this channel. */
function nextLineAtMs(
  sent: readonly TimedLine[],
  { channelLogin, isAnnouncement = false }: Omit<Line, 'text'>,
  moderates: boolean,
): number {
  const blocking = sent.at(moderates ? -chatLimits.moderator : -chatLimits.everyone);
  const inChat = sent.filter((line) => line.channelLogin === channelLogin);
  const last = inChat.at(-1);
  const announced = isAnnouncement ? inChat.findLast((line) => line.isAnnouncement) : undefined;
  return Math.max(
    blocking ? blocking.atMs + chatLimits.windowMs + 1 : 0,
    last && !moderates ? last.atMs + chatLimits.gapMs : 0,
    announced ? announced.atMs + chatLimits.announcementGapMs : 0,
  );
}

/** The lines, those of one chat with a newer time at which it was known how things stand there. */
const knownAt = (knownAtMs: number, channelLogin: string, lines: readonly TimedLine[]): TimedLine[] =>
  lines.map((line) => (line.channelLogin === channelLogin ? { ...line, knownAtMs } : line));

/** Looks again at the chats of lines that have waited, which wait meanwhile; `onKnown` is called afterwards. */
function chatLooks(
  checkAgain: NonNullable<QueueOptions['checkAgain']>,
  onKnown: (channelLogin: string) => void,
) {
  const underWay = new Set<string>();
  return {
    /** Returns until when a line waits for a look that is under way; null if it does not. */
    untilMs: ({ channelLogin }: Line, nowMs: number) =>
      underWay.has(channelLogin) ? nowMs + KNOWN_FOR_MS : null,
    /** Returns whether enough is known of a line's chat to send it now; if not, the chat is looked at. */
    isKnown({ channelLogin, atMs, knownAtMs = atMs }: TimedLine, nowMs: number): boolean {
      if (underWay.has(channelLogin)) return false;
      const look = nowMs - knownAtMs < KNOWN_FOR_MS ? null : checkAgain(channelLogin);
      if (look === null) return true;
      underWay.add(channelLogin);
      void look.then(() => {
        underWay.delete(channelLogin);
        onKnown(channelLogin);
      });
      return false;
    },
  };
}

/** The lines of an account, and the time at which the next that waits may be sent. */
interface Lines {
  waiting: TimedLine[];
  sent: TimedLine[];
  nextAtMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** Sends waiting lines as each may be sent. */
function senderOf(
  lines: Lines,
  { send, isModerator, checkAgain = () => null, now = steadyMs }: QueueOptions,
) {
  const sendableAtMs = (line: Omit<Line, 'text'>) =>
    nextLineAtMs(lines.sent, line, isModerator(line.channelLogin));
  const trySend = (line: TimedLine, nowMs: number): void => {
    const text = differing(line, lines.sent);
    if (!line.isResting?.() && send({ ...line, text })) lines.sent.push({ ...line, text, atMs: nowMs });
    else line.onUnsent?.();
  };
  const looks = chatLooks(checkAgain, (channelLogin) => {
    lines.waiting = knownAt(now(), channelLogin, lines.waiting);
    pump();
  });
  const pump = (): void => {
    clearTimeout(lines.timer);
    const nowMs = now();
    lines.sent = inWindow(lines.sent, nowMs);
    const inTime = lines.waiting.filter((line) => !isTooLate(line, nowMs));
    lines.waiting = inTime.filter((line) => {
      const isDue = sendableAtMs(line) <= nowMs && looks.isKnown(line, nowMs);
      if (isDue) trySend(line, nowMs);
      return !isDue;
    });
    lines.nextAtMs = Math.min(
      ...lines.waiting.map((line) => looks.untilMs(line, nowMs) ?? sendableAtMs(line)),
    );
    if (lines.waiting.length > 0) lines.timer = setTimeout(pump, Math.max(50, lines.nextAtMs - nowMs));
  };
  return { sendableAtMs, looks, pump };
}

/** Sends lines in order, no faster than Twitch allows one account, and none that Twitch would drop. Steady time. */
export function messageQueue(options: QueueOptions) {
  const { now = steadyMs } = options;
  const lines: Lines = { waiting: [], sent: [], nextAtMs: Number.POSITIVE_INFINITY, timer: undefined };
  const { sendableAtMs, looks, pump } = senderOf(lines, options);
  let lastId = 0;
  let isSettling = false;
  let isOver = false;

  /** Gives lines back that wait and that somebody else can say. */
  const giveBack = (): void => {
    const back = lines.waiting.filter(({ onUnsent }) => onUnsent);
    lines.waiting = lines.waiting.filter(({ onUnsent }) => !onUnsent);
    for (const line of back) line.onUnsent?.();
  };

  return {
    /** Number of further lines until Twitch's window is full, in whatever chat; 0 once lines come back. */
    room: () =>
      isSettling
        ? 0
        : Math.max(0, chatLimits.everyone - inWindow(lines.sent, now()).length - lines.waiting.length),
    /** Time until a further line in this chat could be sent; the lines that wait come first. */
    waitMs(channelLogin: string): number {
      const nowMs = now();
      // Announcements keep a distance of their own meanwhile, and hold nothing up; a look holds its own chat up alone.
      const isAhead = (line: TimedLine) =>
        !line.isAnnouncement && (line.channelLogin === channelLogin || looks.untilMs(line, nowMs) === null);
      const ahead = lines.waiting.some(isAhead) ? Math.max(lines.nextAtMs - nowMs, 50) : 0;
      return Math.max(ahead, sendableAtMs({ channelLogin }) - nowMs);
    },
    push(line: Line): void {
      if (isOver) return void line.onUnsent?.();
      if (lines.waiting.length >= MAX_QUEUE) lines.waiting.shift()?.onUnsent?.();
      lines.waiting.push({ ...line, text: harmlessText(line.text), id: ++lastId, atMs: now() });
      if (sendableAtMs(line) < lines.nextAtMs) pump();
      if (isSettling) giveBack();
    },
    /** Sends a line once more that Twitch dropped. Gives up the second time; a line that went nowhere is no attempt. */
    resend({ id, onUnsent }: Pick<SentLine, 'id' | 'onUnsent'>, { isAttempt = true } = {}): Resent {
      const dropped = isOver ? undefined : lines.sent.findLast((line) => line.id === id);
      if (!dropped || (isAttempt && dropped.isSecondAttempt)) {
        onUnsent?.();
        return dropped ? 'givenUp' : 'unknown';
      }
      lines.waiting.unshift(isAttempt ? { ...dropped, isSecondAttempt: true } : dropped);
      pump();
      if (isSettling) giveBack();
      return 'again';
    },
    /** Lets no line wait any more that can come back. The others are sent as before. */
    settle(): void {
      isSettling = true;
      giveBack();
    },
    /** Sends nothing any more: what waits comes back, and so does whatever comes later. */
    stop(): void {
      isOver = true;
      clearTimeout(lines.timer);
      for (const line of lines.waiting.splice(0)) line.onUnsent?.();
    },
  };
}
