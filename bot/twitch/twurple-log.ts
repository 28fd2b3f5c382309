import type { ApiConfig } from '@twurple/api';
import type { BotDeps } from '#bot/deps.ts';

/** Twurple logs details of calls whose outcome the caller judges, so they go to debug at most. */
export const pinoForTwurple = (log: BotDeps['log']): NonNullable<ApiConfig['logger']> => ({
  minLevel: 'warning',
  custom: (_level, message) => log.debug({ from: 'twurple' }, message),
});
