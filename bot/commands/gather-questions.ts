import type { Log } from '#bot/log.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';
import { minute, second } from '#domain/kernel/time.ts';
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

type Question = ChatMessage & { askedAtMs: number };

interface Waiting {
  messages: Question[];
  /** Number of those who asked when too many were waiting: the last line leads them to the site. */
  others: number;
  outlet: Outlet;
  readyAtMs: number;
  failures: number;
  timer: NodeJS.Timeout | null;
  /** The line under way. */
  answering: Promise<void> | null;
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
/** An account that may not write for as long has passed on to another process, or is muted. */
const MAX_WAIT_MS = 2 * minute;

/** Waits without keeping the process alive. */
export const delay = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** Words a line for the first who wait and says it. Those of a line that failed are tried again, and given up in the end. */
async function answerFirst(
  { log, lineFor }: Options,
  channelId: string,
  questions: Waiting,
  channelLogin: string,
): Promise<void> {
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
}

/** Words a line that names as many as fit, and counts all others. */
async function lastLineFor({ lineFor }: Options, { messages, others }: Waiting): Promise<string> {
  let named: readonly ChatMessage[] = messages;
  for (;;) {
    const { text, answered } = await lineFor(named, others + messages.length - named.length);
    if (answered === named.length) return text;
    named = named.slice(0, answered);
  }
}

/** Answers all who wait in one line, once the account may write and unless that is given up before. */
async function answerLast(
  options: Options,
  channelId: string,
  questions: Waiting,
  isGivenUp: () => boolean,
): Promise<void> {
  if (questions.timer) clearTimeout(questions.timer);
  await questions.answering;
  const channelLogin = questions.messages.at(-1)?.channelLogin;
  if (channelLogin === undefined) return;
  try {
    const text = await lastLineFor(options, questions);
    for (;;) {
      const waitMs = questions.outlet.waitMs(channelLogin);
      if (isGivenUp()) return;
      if (waitMs <= 0) break;
      await delay(waitMs);
    }
    questions.messages = [];
    await questions.outlet.say({ channelLogin, text });
  } catch (error) {
    options.log.error({ err: error, channelId }, 'a chat command failed');
  }
}

/**
 * Answers the first who asks at once, and those who ask within the pause after it together, in as many lines as that
 * takes. While the account may not write, more of them gather for the next line. Steady time.
 */
export function gatherQuestions(options: Options) {
  const { pauseMs, now = steadyMs } = options;
  const waiting = new Map<string, Waiting>();
  let isEnding = false;

  const pump = async (channelId: string, questions: Waiting): Promise<void> => {
    questions.timer = null;
    questions.messages = questions.messages.filter(({ askedAtMs }) => now() - askedAtMs < MAX_WAIT_MS);
    const last = questions.messages.at(-1);
    if (!last) {
      waiting.delete(channelId);
      return;
    }
    const { channelLogin } = last;
    const waitMs = Math.max(questions.readyAtMs - now(), questions.outlet.waitMs(channelLogin));
    if (waitMs <= 0) {
      questions.answering = answerFirst(options, channelId, questions, channelLogin);
      await questions.answering;
      questions.answering = null;
      questions.readyAtMs = now() + pauseMs;
    }
    if (isEnding || !waiting.has(channelId)) return;
    questions.timer = setTimeout(() => void pump(channelId, questions), waitMs <= 0 ? pauseMs : waitMs);
  };

  return {
    /** Takes a question. Resolves when it was answered, or waits for the next line. */
    async take(message: ChatMessage, outlet: Outlet): Promise<void> {
      const { channelId } = message;
      const questions = waiting.get(channelId) ?? {
        ...{ messages: [], others: 0, outlet, readyAtMs: 0, failures: 0, timer: null, answering: null },
      };
      waiting.set(channelId, questions);
      questions.outlet = outlet;
      if (questions.messages.some(({ twitchId }) => twitchId === message.twitchId)) return;
      if (questions.messages.length < MAX_WAITING) questions.messages.push({ ...message, askedAtMs: now() });
      else questions.others += 1;
      if (questions.timer === null && !questions.answering) await pump(channelId, questions);
    },
    /**
     * Answers who waits in one line for each channel, as soon as the account may write there, and nobody later. `through`
     * puts another outlet in place of the channel's.
     */
    async finish(through = (outlet: Outlet): Outlet => outlet): Promise<void> {
      isEnding = true;
      const lasts = [...waiting].map(([channelId, questions]) => {
        questions.outlet = through(questions.outlet);
        return answerLast(options, channelId, questions, () => !waiting.has(channelId));
      });
      await Promise.all(lasts);
    },
    stop(): void {
      isEnding = true;
      for (const { timer } of waiting.values()) if (timer) clearTimeout(timer);
      waiting.clear();
    },
  };
}

/** The time between two answers of the same command in a channel. */
export const pauses = { personal: 3 * second, shared: 10 * second } as const;
