import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { Outlet } from '#bot/commands/gather-questions.ts';
import type { BotDeps } from '#bot/deps.ts';
import { trackFaults } from '#bot/twitch/chat/chat-faults.ts';
import type { Silence } from '#bot/twitch/chat/chat-notices.ts';
import type { ChatEvents, ChatPort, ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { type Line, messageQueue, type SentLine } from '#bot/twitch/chat/message-queue.ts';
import { countLate } from '#bot/twitch/count-late.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** A command older than this is not answered: its author has gone on, or asked again. System time. */
const MAX_COMMAND_AGE_MS = minute;

/** While there is no connection, it is checked again after this time. */
const CHECK_AGAIN_MS = second;

export interface VoiceOptions {
  /** Takes what may be a command; its answer is said now, or with others' a little later. */
  answer(message: ChatMessage, outlet: Outlet): Promise<void>;
  /** Called when Twitch takes no lines from us in a chat, and with null when it does again. */
  recordFault(channelId: string, fault: ChatFault | null): Promise<void>;
  /** Takes at most `limit` announcements for channels in which the account can write. */
  takeAnnouncements(channelLogins: readonly string[], limit: number): Promise<Line[]>;
  /** Returns whether a line that is no command is awaited in a chat, and takes note of one from elsewhere. */
  awaits?: ChatEvents['awaits'];
  onElsewhere?: ChatEvents['onElsewhere'];
  /** Returns whether no account has answered this message yet: while the carrier changes, both bring it. */
  isFirst(messageId: string): boolean;
}

interface Deps extends VoiceOptions {
  log: BotDeps['log'];
  /** The account's ports that are open, in the order of preference. */
  ports(): readonly ChatPort[];
  /** The chats to be in. */
  rooms(): readonly ChatRoom[];
  mayAnswer(): boolean;
  /** Pins a line that Twitch took, by its id there. */
  pin(channelLogin: string, messageId: string): void;
  /** Learns what has to be known of a chat before a line may be written there. Never throws; null if nothing has to be. */
  beforeLine(channelLogin: string): Promise<void> | null;
  /** Returns whether nothing is written into a chat now, because other channels would see it. */
  isHeld(room: ChatRoom): boolean;
}

/** Writes the lines of an account, one after another: answers to commands, and announcements. */
export function createVoice({ ports, log, mayAnswer, isFirst, ...given }: Deps) {
  const faults = trackFaults({ log, ...given });
  const silences = trackSilences();
  const reportLate = countLate(log, 'chat lines are too old by our clock; commands in them are not answered');
  const queue = messageQueue({
    send(line) {
      const channelId = given.rooms().find(({ login }) => login === line.channelLogin)?.channelId;
      // The line may have waited for its turn, or the process slept.
      if (!mayAnswer() || (channelId !== undefined && silences.isSilent(channelId))) return false;
      return sayBy(ports(), line);
    },
    isModerator: (channelLogin) => ports().some((port) => port.isModerator(channelLogin) === true),
    checkAgain: given.beforeLine,
  });
  const outlet: Outlet = {
    // Without a connection a line would be lost; while the account changes hands, another process may write it.
    waitMs: (login) => Math.max(queue.waitMs(login), canWrite(login) ? 0 : CHECK_AGAIN_MS),
    say: (line) => queueAll([line], { queue, mayAnswer, ...given }),
  };
  const canWrite = (login: string) => mayAnswer() && ports().some((port) => port.isIn(login));
  const events: ChatEvents = {
    onMessage(message) {
      if (!mayAnswer() || !isFirst(message.id)) return;
      if (Date.now() - message.sentAtMs > MAX_COMMAND_AGE_MS) return reportLate(message);
      given
        .answer(message, outlet)
        .catch((error) => log.error({ err: error, channelId: message.channelId }, 'a chat command failed'));
    },
    awaits: (channelId, text) => given.awaits?.(channelId, text) ?? false,
    onElsewhere: (channelId) => given.onElsewhere?.(channelId),
    onFault(channelId, fault) {
      if (fault === null) silences.end(channelId);
      faults.record(channelId, fault);
    },
    onSilence(channelId, silence, forMs) {
      silences.begin(channelId, silence, forMs);
      faults.record(channelId, silence === 'timedOut' ? 'banned' : silence);
    },
    onJoined(channelId) {
      // A user who is timed out is let in, too.
      if (silences.isTimedOut(channelId)) return;
      silences.end(channelId);
      faults.letIn(channelId);
    },
    onSaid: faults.sent,
    onDropped(line) {
      if (queue.resend(line) === 'givenUp') faults.tooFast(line.channelLogin);
    },
    onRerouted: (line) => void queue.resend(line, { isAttempt: false }),
  };
  return {
    events,
    async announce(): Promise<void> {
      const isSilent = (room: ChatRoom) => silences.isSilent(room.channelId) || given.isHeld(room);
      const logins = writable(ports(), given.rooms(), isSilent);
      // Further announcements stay stored, because they would only age in the queue.
      if (logins.length === 0 || queue.room() === 0 || !mayAnswer()) return;
      try {
        await queueAll(await given.takeAnnouncements(logins, queue.room()), { queue, ...given });
      } catch (error) {
        log.error({ err: error }, 'could not send announcements');
      }
    },
    settle: queue.settle,
    stop(): void {
      queue.stop();
      faults.stop();
    },
  };
}

/** Has a line pinned once Twitch took it, if it is to be. */
function pinned(line: Line, pin: Deps['pin']): Line {
  if (!line.isPinned) return line;
  return {
    ...line,
    onTaken(messageId) {
      line.onTaken?.(messageId);
      if (messageId !== null) pin(line.channelLogin, messageId);
    },
  };
}

/** Queues lines, those of one chat in their order. All chats at once: Twitch may be asked about each, and the lines age. */
async function queueAll(
  lines: readonly Line[],
  {
    queue,
    beforeLine,
    pin,
    mayAnswer = () => true,
  }: Pick<Deps, 'beforeLine' | 'pin'> & {
    queue: { push(line: Line): void };
    mayAnswer?: Deps['mayAnswer'];
  },
): Promise<void> {
  const logins = [...new Set(lines.map(({ channelLogin }) => channelLogin))];
  await Promise.all(
    logins.map(async (login) => {
      await beforeLine(login);
      for (const line of lines) if (line.channelLogin === login && mayAnswer()) queue.push(pinned(line, pin));
    }),
  );
}

/** The chats that an account is in and may write into, by login. */
function writable(
  open: readonly ChatPort[],
  rooms: readonly ChatRoom[],
  isSilent: (room: ChatRoom) => boolean,
): string[] {
  const silent = new Set(rooms.filter(isSilent).map(({ login }) => login));
  const joined = new Set(open.flatMap((port) => port.joined()));
  return [...joined].filter((login) => !silent.has(login));
}

/** Hands a line to a port, one that is in the chat first. Returns whether one took it. */
function sayBy(open: readonly ChatPort[], line: SentLine): boolean {
  const isIn = (port: ChatPort) => port.isIn(line.channelLogin);
  return [...open.filter(isIn), ...open.filter((port) => !isIn(port))].some((port) => port.say(line));
}

/**
 * Tracks the chats in which nothing is written for some time, because Twitch would not accept it. Steady
 * time.
 */
function trackSilences() {
  const silences = new Map<string, { silence: Silence; untilMs: number }>();
  const current = (channelId: string) => {
    const found = silences.get(channelId);
    return found && found.untilMs > steadyMs() ? found.silence : null;
  };
  return {
    begin: (channelId: string, silence: Silence, forMs: number): void =>
      void silences.set(channelId, { silence, untilMs: steadyMs() + forMs }),
    end: (channelId: string): void => void silences.delete(channelId),
    isSilent: (channelId: string): boolean => current(channelId) !== null,
    isTimedOut: (channelId: string): boolean => current(channelId) === 'timedOut',
  };
}

/** Number of commands that are remembered: both carriers bring one within seconds of each other. */
const REMEMBERED = 10_000;

/**
 * Returns whether a command comes for the first time; Twitch gives a message the same id over IRC and in
 * events.
 */
export function firstTimes(): (messageId: string) => boolean {
  const seen = new Set<string>();
  return (messageId) => {
    if (seen.has(messageId)) return false;
    seen.add(messageId);
    // The set keeps its insertion order, so the oldest comes first.
    for (const oldest of seen) {
      if (seen.size <= REMEMBERED) break;
      seen.delete(oldest);
    }
    return true;
  };
}
