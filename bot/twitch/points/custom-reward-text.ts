import { type CustomRewardWords, customRewardPrompt } from '#bot/locales/custom-reward.ts';
import type { Locale } from '#db/schema/user.ts';

/** Twitch's limits. */
const MAX_TITLE = 45;
const MAX_PROMPT = 200;

/** Truncates by UTF-16 units, the strictest way Twitch may count, without splitting a character. */
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
 * The possible titles of a rule's custom reward, the preferred one first. Titles are unique per channel; the second one
 * ends with part of the rule's id. The third is for a name that Twitch's AutoMod refuses.
 */
export function titlesFor({
  ruleId,
  ruleName,
}: {
  ruleId: string;
  ruleName: string;
}): [string, string, string] {
  const name = ruleName.replaceAll(/\s+/g, ' ').trim();
  const suffix = ` · ${ruleId.slice(-6)}`;
  return [cut(name, MAX_TITLE), `${cut(name, MAX_TITLE - suffix.length)}${suffix}`, `Keepsake${suffix}`];
}

/** The texts of a custom reward, the fullest first: AutoMod may refuse an item's name, or whatever else it says. */
export function promptsFor(words: Parameters<typeof promptFor>[0]): [string, string, string] {
  return [promptFor(words), promptFor({ ...words, winnable: null }), ''];
}

/** The text of a custom reward. The prize comes first and is truncated so that the rest always fits. */
export function promptFor({
  locale,
  winnable,
  ...rest
}: {
  locale: Locale;
  /** Null leaves the items out. */
  winnable: readonly string[] | null;
} & Omit<CustomRewardWords, 'what'>): string {
  const promptWith = (what: string | null) => customRewardPrompt[locale]({ what, ...rest });
  if (winnable === null) return cut(promptWith(null), MAX_PROMPT);
  const room = Math.max(1, MAX_PROMPT - (promptWith('?').length - 1));
  return cut(promptWith(cut(winnable.join(' / '), room)), MAX_PROMPT);
}
