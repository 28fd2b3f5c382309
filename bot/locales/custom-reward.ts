import type { Locale } from '#db/schema/user.ts';

/** What a custom reward's text is made of. */
export interface CustomRewardWords {
  /** What can be won; empty while nothing is free. */
  what: string;
  host: string;
  /** The rule asks for more than the points. */
  asksMore: boolean;
}

/** What stands on Twitch under a rule's custom reward: what is won, what it takes, and that points come back. */
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
