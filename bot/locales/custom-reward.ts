import type { Locale } from '#db/schema/user.ts';

/** The facts in a custom reward's text. */
export interface CustomRewardWords {
  /** The item that can be won; empty while no reward is free. */
  what: string;
  host: string;
  /** The rule has conditions besides the points. */
  asksMore: boolean;
}

/** The text that Twitch shows under a rule's custom reward: the prize, the conditions, and when points are refunded. */
export const customRewardPrompt: Record<Locale, (words: CustomRewardWords) => string> = {
  en: ({ what, host, asksMore }) =>
    [
      what === '' ? 'Nothing is left to win right now.' : `You win: ${what}.`,
      asksMore ? `Meet the other conditions first: ${host}.` : `Register on ${host} first.`,
      'If no reward is left or you do not claim it in time, you get your points back.',
    ].join(' '),
  ru: ({ what, host, asksMore }) =>
    [
      what === '' ? 'Сейчас призов не осталось.' : `Приз: ${what}.`,
      asksMore ? `Сначала выполните остальные условия: ${host}.` : `Сначала зарегистрируйтесь на ${host}.`,
      'Если приз не достанется или вы не получите его вовремя, баллы вернутся.',
    ].join(' '),
};
