import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { Outlet } from '#bot/commands/gather-questions.ts';
import type { BotDeps } from '#bot/deps.ts';
import type { ChatLines } from '#bot/locales/en.ts';
import { commandNameOf, RAFFLE_COMMAND } from '#domain/chat/chat-commands.ts';
import { minute } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { findLiveRaffle } from '#domain/raffle/find-raffle.ts';
import { raffleLengths, startRaffle } from '#domain/raffle/start-raffle.ts';
import { takeMessage } from '#domain/twitch-event/seen-messages.ts';
import { chatLinesOf } from './chat-languages.ts';

type Deps = Pick<BotDeps, 'db' | 'clock'> & { publicUrl: URL };

type Order = { kind: 'start'; lengthMs: number | undefined } | { kind: 'draw' } | { kind: 'cancel' };

const words: Readonly<Record<string, Order['kind']>> = {
  ...{ draw: 'draw', stop: 'draw', cancel: 'cancel' },
  ...{ стоп: 'draw', розыгрыш: 'draw', отмена: 'cancel' },
};

/** Returns what a line orders, such as `!raffle`, `!raffle 5m` or `!raffle cancel`; null if it is no such line. */
export function raffleOrder(text: string): Order | null {
  const [command = '', word] = text.trim().split(/\s+/, 2);
  if (!command.startsWith('!') || commandNameOf(command.slice(1)) !== RAFFLE_COMMAND) return null;
  if (word === undefined) return { kind: 'start', lengthMs: undefined };
  const minutes = /^(\d{1,3})(?:m|min|м|мин)?$/iu.exec(word)?.[1];
  if (minutes !== undefined) {
    const lengthMs = Number(minutes) * minute;
    const { shortestMs, longestMs } = raffleLengths;
    return { kind: 'start', lengthMs: Math.min(longestMs, Math.max(shortestMs, lengthMs)) };
  }
  const kind = words[word.toLowerCase()];
  return kind === 'draw' || kind === 'cancel' ? { kind } : null;
}

/**
 * Carries out what the broadcaster or a moderator orders about the raffle that is prepared or runs. Others' orders are
 * passed over. Returns false if the message is no order.
 */
export function answerRaffle(deps: Deps) {
  return async (message: ChatMessage, outlet: Outlet): Promise<boolean> => {
    const order = raffleOrder(message.text);
    if (!order) return false;
    const { channelId, channelLogin, twitchId, isModerator } = message;
    if (twitchId !== channelId && !isModerator) return true;
    if (!(await takeMessage(deps.db, message.id, Date.now()))) return true;
    const text = await carryOut(deps, channelId, order, (await chatLinesOf(deps.db, channelId)).raffle);
    if (text !== null) await outlet.say({ channelLogin, text });
    return true;
  };
}

/** Returns the line that answers an order; null if the raffle's announcement says enough. */
async function carryOut(
  { db, clock, publicUrl }: Deps,
  channelId: string,
  order: Order,
  lines: ChatLines['raffle'],
): Promise<string | null> {
  const raffle = await findLiveRaffle(db.read, channelId);
  if (!raffle) return lines.none({ url: `${publicUrl.origin}/raffles` });
  const raffleId = raffle.id;
  const url = `${publicUrl.origin}/raffle/${raffleId}`;
  if (order.kind === 'cancel') {
    const cancelled = await cancelRaffle(db, { raffleId }, clock.now());
    return cancelled.ok ? lines.cancelled() : lines.drawnAlready({ url });
  }
  if (order.kind === 'draw') {
    const closed = await closeRaffle(db, { raffleId }, clock.now());
    return closed.ok ? null : lines.none({ url: `${publicUrl.origin}/raffles` });
  }
  if (raffle.state !== 'prepared') return lines.runs({ keyword: raffle.keyword, url });
  const started = await startRaffle(db, { raffleId, lengthMs: order.lengthMs }, clock.now());
  if (started.ok) return null;
  if (started.code === 'listUnread') return lines.notReady();
  return lines.none({ url: `${publicUrl.origin}/raffles` });
}
