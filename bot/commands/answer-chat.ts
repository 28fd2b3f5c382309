import { chatLinesOf } from '#bot/commands/chat-languages.ts';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { type CooldownTimes, cooldowns } from '#bot/commands/cooldowns.ts';
import type { BotDeps } from '#bot/deps.ts';
import type { ChatLines } from '#bot/locales/en.ts';
import { second } from '#domain/kernel/time.ts';
import { takeMessage } from '#domain/twitch-event/seen-messages.ts';
import { answerClaim } from './answer-claim.ts';
import { answerProgress } from './answer-progress.ts';
import { answerRewards } from './answer-rewards.ts';
import { answerWatchTime } from './answer-watch-time.ts';

type Deps = Pick<BotDeps, 'db' | 'clock'> & { publicUrl: URL };
type Command = CooldownTimes & {
  answer(deps: Deps, message: ChatMessage, lines: ChatLines): Promise<string>;
};

/** The list is the same for everyone, so one answer serves the whole channel; the other answers are personal. */
const commands: Readonly<Record<string, Command>> = {
  '!rewards': { perUserMs: 30 * second, perChannelMs: 10 * second, answer: answerRewards },
  '!progress': { perUserMs: 30 * second, perChannelMs: second, answer: answerProgress },
  '!claim': { perUserMs: 30 * second, perChannelMs: second, answer: answerClaim },
  '!watchtime': { perUserMs: 30 * second, perChannelMs: second, answer: answerWatchTime },
};

/** Answers commands in chat, each once and within its cooldowns. Null: not a command, too soon, or answered. */
export function answerChat(deps: Deps, now: () => number = Date.now) {
  const limiter = cooldowns(now);
  return async (message: ChatMessage): Promise<string | null> => {
    const word = message.text.trim().split(/\s/, 1)[0]?.toLowerCase() ?? '';
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (!command || !limiter.take({ ...message, command: word }, command)) return null;
    if (!(await takeMessage(deps.db, message.id, now()))) return null;
    return command.answer(deps, message, await chatLinesOf(deps.db, message.channelId));
  };
}
