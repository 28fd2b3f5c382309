import type { RouterContextProvider } from 'react-router';
import { config } from '#app/config.server.ts';
import { languageContext } from '#app/middleware/contexts.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { type BotAway, readBotAway } from '#platform/bot-away.ts';

/** Pages about what the bot does: counting, promising, sending, taking. */
const needing =
  /^\/(dashboard|profile|items|rules|channel|browseChannels|rewardProgress|rewards|transfers)(\/|$|\.data$)/;

/** Reads why the supervisor's bot is away; null while it runs. */
export const findBotAway = (): BotAway | null => readBotAway(config().dataFolder);

/** The notice on a page that needs the bot while it is away, in the visitor's language. */
export function botNoticeOn(request: Request, context: Readonly<RouterContextProvider>) {
  if (!needing.test(new URL(request.url).pathname)) return null;
  const away = findBotAway();
  if (!away) return null;
  const { t } = translations(context.get(languageContext));
  return {
    title: t('errors.botAway.title'),
    text: t('errors.botAway.text'),
    nextStartAtMs: away.nextStartAtMs,
  };
}
