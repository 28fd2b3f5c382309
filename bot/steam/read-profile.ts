import type { BotDeps } from '#bot/deps.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { isProfileDue, recordProfile } from '#domain/bot/record-profile.ts';

export interface ProfileWork {
  deps: Pick<BotDeps, 'db' | 'clock' | 'log'>;
  botId: string;
  account: () => SteamAccount | null;
}

/**
 * Stores the bot's public profile once a day, for viewers who compare it with the offer. Without an answer
 * the previous profile stays, and Steam is asked again in the next round.
 */
export const readProfile =
  ({ deps: { db, clock, log }, botId, account }: ProfileWork) =>
  async (): Promise<void> => {
    const nowMs = clock.now();
    const ready = account();
    if (!ready || !(await isProfileDue(db.read, botId, nowMs))) return;
    const answer = await ready.profile();
    if (!answer.ok)
      return log.warn({ bot: botId, ...answer }, 'could not read the profile; asking again later');
    await recordProfile(db, botId, answer.value, nowMs);
  };
