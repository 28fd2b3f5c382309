import { type CustomRewardWords, customRewardPrompt } from '#bot/locales/custom-reward.ts';
import type { Locale } from '#db/schema/user.ts';

/** Twitch's bounds. */
const MAX_TITLE = 45;
const MAX_PROMPT = 200;

/** Cuts by UTF-16 units, as Twitch counts at most, and never through a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > most - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * The titles that a rule's custom reward may have, the preferred one first. Twitch takes a title once per channel; the
 * second carries the end of the rule's id, which no other rule has.
 */
export function titlesFor({ ruleId, ruleName }: { ruleId: string; ruleName: string }): [string, string] {
  const name = ruleName.replaceAll(/\s+/g, ' ').trim();
  const mark = ` · ${ruleId.slice(-6)}`;
  return [cut(name, MAX_TITLE), `${cut(name, MAX_TITLE - mark.length)}${mark}`];
}

/** What is won comes first; it is cut so that the rest always stands. */
export function promptFor({
  locale,
  winnable,
  ...rest
}: {
  locale: Locale;
  winnable: readonly string[];
} & Omit<CustomRewardWords, 'what'>): string {
  const say = (what: string) => customRewardPrompt[locale]({ what, ...rest });
  const room = Math.max(1, MAX_PROMPT - (say('?').length - 1));
  return cut(say(cut(winnable.join(' / '), room)), MAX_PROMPT);
}
