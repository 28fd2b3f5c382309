import { type CustomRewardWords, customRewardPrompt } from '#bot/locales/custom-reward.ts';
import type { Locale } from '#db/schema/user.ts';

/** Twitch's bounds. */
const MAX_TITLE = 45;
const MAX_PROMPT = 200;

/** Cuts by UTF-16 units, as Twitch counts at most, and never through a character. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let result = '';
  for (const character of text) {
    if (result.length + character.length > maxLength - 1) break;
    result += character;
  }
  return `${result.trimEnd()}…`;
}

/**
 * The titles that a rule's custom reward may have, the preferred one first. Twitch takes a title once per channel; the
 * second carries the end of the rule's id, which no other rule has.
 */
export function titlesFor({ ruleId, ruleName }: { ruleId: string; ruleName: string }): [string, string] {
  const name = ruleName.replaceAll(/\s+/g, ' ').trim();
  const suffix = ` · ${ruleId.slice(-6)}`;
  return [cut(name, MAX_TITLE), `${cut(name, MAX_TITLE - suffix.length)}${suffix}`];
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
  const promptWith = (what: string) => customRewardPrompt[locale]({ what, ...rest });
  const room = Math.max(1, MAX_PROMPT - (promptWith('?').length - 1));
  return cut(promptWith(cut(winnable.join(' / '), room)), MAX_PROMPT);
}
