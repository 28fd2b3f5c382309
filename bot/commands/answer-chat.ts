import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { cooldowns } from '#bot/commands/cooldowns.ts';
import { gatherQuestions, type Outlet, pauses, type SharedLine } from '#bot/commands/gather-questions.ts';
import type { BotDeps } from '#bot/deps.ts';
import { endsWithin } from '#bot/end-all.ts';
import { countDown } from '#bot/leases.ts';
import type { ChatLines } from '#bot/locales/en.ts';
import { stopTimes } from '#bot/stop-times.ts';
import { type ChatCommand, chatCommands } from '#db/schema/channel.ts';
import { getChatCommands } from '#domain/channel/set-chat-commands.ts';
import { commandNameOf, findCommand } from '#domain/chat/chat-commands.ts';
import { second } from '#domain/kernel/time.ts';
import { takeMessage } from '#domain/twitch-event/seen-messages.ts';
import { answerClaim } from './answer-claim.ts';
import { answerProgress } from './answer-progress.ts';
import { answerRewards } from './answer-rewards.ts';
import { answerWatchTime } from './answer-watch-time.ts';
import { joinAnswers, type PersonalAnswer } from './chat-answer.ts';
import { chatLinesOf } from './chat-languages.ts';
import { gatherLastLines } from './last-lines.ts';

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & { publicUrl: URL };
type Personal = (deps: Deps, message: ChatMessage, lines: ChatLines) => Promise<PersonalAnswer>;

/** A stop waits at most this long for the wording of the last lines. */
const FINISH_WITHIN_MS = 5 * second;
/** A viewer who repeats a command within this time has the answer already, or gets it with the next line. */
const PER_USER_MS = 30 * second;

const personal: Record<Exclude<ChatCommand, 'rewards'>, Personal> = {
  progress: answerProgress,
  claim: answerClaim,
  watchTime: answerWatchTime,
};

/** Words a line for several who asked the same. The list of rewards is the same for everyone, so it answers all. */
async function lineFor(
  deps: Deps,
  command: ChatCommand,
  messages: readonly ChatMessage[],
  others: number,
): Promise<SharedLine> {
  const channelId = messages[0]?.channelId ?? '';
  const lines = await chatLinesOf(deps.db, channelId);
  if (command === 'rewards')
    return { text: await answerRewards(deps, { channelId }, lines), answered: messages.length };
  const { more, tails } = lines.together;
  const tail = tails[command]({ url: `${deps.publicUrl.origin}/rewardProgress` });
  return joinAnswers(messages, others, (each) => personal[command](deps, each, lines), { tail, more });
}

/**
 * Answers commands in chat by the names that the channel gave them, each message once: the first who asks at once,
 * and whoever asks within the pause after that together with others.
 */
export function answerChat(deps: Deps) {
  const limiter = cooldowns();
  const gatherer = (command: ChatCommand) =>
    gatherQuestions({
      log: deps.log,
      lineFor: (messages, others) => lineFor(deps, command, messages, others),
      pauseMs: command === 'rewards' ? pauses.shared : pauses.personal,
    });
  const questions = Object.fromEntries(chatCommands.map((command) => [command, gatherer(command)])) as Record<
    ChatCommand,
    ReturnType<typeof gatherer>
  >;
  let isEnding = false;
  const stop = () => {
    for (const command of chatCommands) questions[command].stop();
  };
  const underWay = new Set<Promise<void>>();
  const take = async (message: ChatMessage, outlet: Outlet): Promise<void> => {
    const word = message.text.trim().split(/\s/, 1)[0] ?? '';
    if (!word.startsWith('!')) return;
    const name = commandNameOf(word.slice(1));
    const command = findCommand(await getChatCommands(deps.db.read, message.channelId), name);
    if (!command || !limiter.take({ ...message, command }, PER_USER_MS)) return;
    if (await takeMessage(deps.db, message.id, Date.now())) await questions[command].take(message, outlet);
  };
  return {
    async answer(message: ChatMessage, outlet: Outlet): Promise<void> {
      // Another process may answer it.
      if (isEnding) return;
      const taking = take(message, outlet);
      underWay.add(taking);
      await taking.finally(() => underWay.delete(taking));
    },
    /** Answers what is gathered, as far as there is time for it, and nothing more. */
    async finish(): Promise<void> {
      isEnding = true;
      const lines = gatherLastLines(countDown(stopTimes.answersMs));
      const answerAll = async () => {
        await Promise.allSettled(underWay);
        await Promise.all(chatCommands.map((command) => questions[command].finish(lines.inPlaceOf)));
        await lines.say();
      };
      await endsWithin(FINISH_WITHIN_MS, answerAll());
      lines.giveUp();
      stop();
    },
    stop,
  };
}
