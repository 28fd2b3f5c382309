import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { BotDeps } from '#bot/deps.ts';
import { trackFaults } from '#bot/twitch/chat/chat-faults.ts';
import type { ChatEvents, ChatPort, ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { type Line, messageQueue } from '#bot/twitch/chat/message-queue.ts';
import type { ChatFault } from '#db/schema/channel.ts';

export interface VoiceOptions {
  answer(message: ChatMessage): Promise<string | null>;
  /** Called when Twitch takes no lines from us in a chat, and (null) when it does again. */
  recordFault(channelId: string, fault: ChatFault | null): Promise<void>;
  /** Takes the announcements for the channels that the account is in. */
  takeAnnouncements(channelLogins: readonly string[]): Promise<Line[]>;
  /** Whether no account has answered this message yet: while the carrier changes, both bring it. */
  isFirst(messageId: string): boolean;
}

interface Deps extends VoiceOptions {
  log: BotDeps['log'];
  /** The account's ports that are open, in the order of preference. */
  ports(): readonly ChatPort[];
  /** The chats to be in. */
  rooms(): readonly ChatRoom[];
  mayAnswer(): boolean;
}

/** What an account says, one line after another: answers to commands, and announcements. */
export function createVoice({ ports, log, mayAnswer, isFirst, ...given }: Deps) {
  const { answer, takeAnnouncements } = given;
  const faults = trackFaults({ log, ...given });
  const queue = messageQueue({
    send({ channelLogin, text }) {
      const open = ports();
      const isIn = (port: ChatPort) => port.isIn(channelLogin);
      const isSent = [...open.filter(isIn), ...open.filter((port) => !isIn(port))].some((port) =>
        port.say(channelLogin, text),
      );
      if (isSent) faults.sent(channelLogin);
      return isSent;
    },
    isModerator: (channelLogin) => ports().some((port) => port.isModerator(channelLogin) === true),
  });
  const events: ChatEvents = {
    onMessage(message) {
      if (!mayAnswer() || !isFirst(message.id)) return;
      answer(message).then(
        (text) => text !== null && queue.push({ channelLogin: message.channelLogin, text }),
        (error) => log.error({ err: error, channelId: message.channelId }, 'a chat command failed'),
      );
    },
    onFault: faults.record,
    onDropped(channelLogin) {
      if (queue.resend(channelLogin) === 'givenUp') faults.tooFast(channelLogin);
    },
  };
  return {
    events,
    async announce(): Promise<void> {
      const logins = [...new Set(ports().flatMap((port) => port.joined()))];
      if (logins.length === 0 || !mayAnswer()) return;
      try {
        for (const line of await takeAnnouncements(logins)) queue.push(line);
      } catch (error) {
        log.error({ err: error }, 'could not send announcements');
      }
    },
    stop(): void {
      queue.stop();
      faults.stop();
    },
  };
}

/** How many commands are remembered: both carriers bring one within seconds of each other. */
const REMEMBERED = 10_000;

/** Whether a command comes for the first time; Twitch gives a message the same id over IRC and in events. */
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
