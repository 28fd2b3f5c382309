import type { Locale } from '#db/schema/user.ts';

/** The values in a custom reward's text. */
export interface CustomRewardWords {
  /** The items that can be earned; empty while no reward is free, and null if they are not to be named. */
  what: string | null;
  host: string;
  /** True if the rule has other conditions besides the points. */
  asksMore: boolean;
}

/** The description of a rule's custom reward on Twitch: the items, the other conditions, and the refund. */
export const customRewardPrompt: Record<Locale, (words: CustomRewardWords) => string> = {
  en: ({ what, host, asksMore }) =>
    [
      ...(what === null ? [] : [what === '' ? 'No rewards are left right now.' : `You get: ${what}.`]),
      asksMore ? `Meet the other conditions first: ${host}.` : `Sign up on ${host} first.`,
      'If no reward is left or you do not claim it in time, your points are refunded.',
    ].join(' '),
  ru: ({ what, host, asksMore }) =>
    [
      ...(what === null ? [] : [what === '' ? 'Сейчас наград не осталось.' : `Вы получите: ${what}.`]),
      asksMore ? `Сначала выполните остальные условия: ${host}.` : `Сначала зарегистрируйтесь на ${host}.`,
      'Если наград не осталось или вы не получите её вовремя, баллы вернутся.',
    ].join(' '),
};
