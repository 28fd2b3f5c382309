import type { BotDeps } from '#bot/deps.ts';
import { games } from '#bot/steam/games.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { recordCapacity } from '#domain/transfer/record-capacity.ts';

export interface CapacityWork {
  deps: Pick<BotDeps, 'db' | 'log'>;
  botId: string;
  account: () => SteamAccount | null;
}

/**
 * Stores how many items the bot has room for in the games where accounts differ. Without an answer what was
 * read before stays, and Steam is asked again in the next round.
 */
export const readCapacity =
  ({ deps: { db, log }, botId, account }: CapacityWork) =>
  async (): Promise<void> => {
    const ready = account();
    const game = games.find(({ capacity }) => capacity === 'perAccount');
    if (!ready || !game) return;
    const answer = await ready.backpack();
    if (!answer.ok)
      return log.warn({ bot: botId, ...answer }, "could not read the backpack's size; asking again later");
    await recordCapacity(db, { botId, appId: game.appId, ...answer.value });
  };
