import type { Log } from '#bot/log.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';
import { second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';
import type { ChatMessage } from './chat-message.ts';

/** Takes the lines of answers. */
export interface Outlet {
  /** Returns how long a line into this chat would wait for its turn. */
  waitMs(channelLogin: string): number;
  say(line: Line): Promise<void>;
}

/** A line that answers the first of those who asked, as many as fit. */
export interface SharedLine {
  text: string;
  answered: number;
}

interface Waiting {
  messages: ChatMessage[];
  /** Number of those who asked when too many were waiting: the last line leads them to the site. */
  others: number;
  outlet: Outlet;
  readyAtMs: number;
  failures: number;
  timer: NodeJS.Timeout | null;
  isAnswering: boolean;
}

interface Options {
  log: Log;
  /** Words a line for the first of these; with all of them answered it also counts the others. */
  lineFor(messages: readonly ChatMessage[], others: number): Promise<SharedLine>;
  /** The time between two answers. */
  pauseMs: number;
  now?: () => number;
}

/** As many have an answer of their own within half a minute. */
export const MAX_WAITING = 40;
const MAX_FAILURES = 3;

/**
 * Answers the first who asks at once, and those who ask within the pause after it together, in as many lines as that
 * takes. While the account may not write, more of them gather for the next line. System time.
 */
export function gatherQuestions({ log, lineFor, pauseMs, now = steadyMs }: Options) {
  const waiting = new Map<string, Waiting>();

  const answerFirst = async (channelId: string, questions: Waiting, channelLogin: string): Promise<void> => {
    const messages = [...questions.messages];
    const { others } = questions;
    try {
      const { text, answered } = await lineFor(messages, others);
      questions.messages.splice(0, answered);
      if (answered === messages.length) questions.others -= others;
      questions.failures = 0;
      await questions.outlet.say({ channelLogin, text });
    } catch (error) {
      questions.failures += 1;
      const isLast = questions.failures >= MAX_FAILURES;
      log.error({ err: error, channelId, retried: !isLast }, 'a chat command failed');
      if (!isLast) return;
      questions.messages.splice(0, messages.length);
      questions.failures = 0;
    }
  };

  const pump = async (channelId: string, questions: Waiting): Promise<void> => {
    questions.timer = null;
    const last = questions.messages.at(-1);
    if (!last) {
      waiting.delete(channelId);
      return;
    }
    const { channelLogin } = last;
    const waitMs = Math.max(questions.readyAtMs - now(), questions.outlet.waitMs(channelLogin));
    if (waitMs <= 0) {
      questions.isAnswering = true;
      await answerFirst(channelId, questions, channelLogin);
      questions.isAnswering = false;
      questions.readyAtMs = now() + pauseMs;
    }
    if (!waiting.has(channelId)) return;
    questions.timer = setTimeout(() => void pump(channelId, questions), waitMs <= 0 ? pauseMs : waitMs);
  };

  return {
    /** Takes a question. Resolves when it was answered, or waits for the next line. */
    async take(message: ChatMessage, outlet: Outlet): Promise<void> {
      const { channelId } = message;
      const questions = waiting.get(channelId) ?? {
        ...{ messages: [], others: 0, outlet, readyAtMs: 0, failures: 0, timer: null, isAnswering: false },
      };
      waiting.set(channelId, questions);
      questions.outlet = outlet;
      if (questions.messages.some(({ twitchId }) => twitchId === message.twitchId)) return;
      if (questions.messages.length < MAX_WAITING) questions.messages.push(message);
      else questions.others += 1;
      if (questions.timer === null && !questions.isAnswering) await pump(channelId, questions);
    },
    stop(): void {
      for (const { timer } of waiting.values()) if (timer) clearTimeout(timer);
      waiting.clear();
    },
  };
}

/** The time between two answers of the same command in a channel. */
export const pauses = { personal: 3 * second, shared: 10 * second } as const;
