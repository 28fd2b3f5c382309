import type { ApiConfig } from '@twurple/api';
import type { BotDeps } from '#bot/deps.ts';

/** Twurple's messages are details of a call whose outcome the caller judges, so they go no higher than debug. */
export const pinoForTwurple = (log: BotDeps['log']): NonNullable<ApiConfig['logger']> => ({
  minLevel: 'warning',
  custom: (_level, message) => log.debug({ from: 'twurple' }, message),
});
