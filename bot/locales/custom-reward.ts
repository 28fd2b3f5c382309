import type { Locale } from '#db/schema/user.ts';

/** What stands on Twitch under a rule's custom reward: what is won, what it takes, and that points come back. */
export const customRewardPrompt: Record<Locale, (values: { what: string; host: string }) => string> = {
  en: ({ what, host }) =>
    `You win: ${what}. Register on ${host} first. If nothing can be promised to you, or you do not claim it in time, you get your points back.`,
  ru: ({ what, host }) =>
    `Приз: ${what}. Сначала зарегистрируйтесь на ${host}. Если приз не достанется или вы не заберёте его вовремя, баллы вернутся.`,
};
