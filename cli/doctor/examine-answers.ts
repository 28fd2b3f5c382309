import { day } from '#domain/kernel/time.ts';
import type { ListedOddAnswer } from '#domain/odd-answer/list-odd-answers.ts';
import type { Finding } from './finding.ts';

/** Older differences stay in the report and on the operator's page. */
const RECENT_MS = 7 * day;
/** Number of differences that a finding spells out. */
const MAX_NAMED = 3;
const platforms = { steam: 'Steam', twitch: 'Twitch', stripe: 'Stripe' } as const;

const reactions: Record<ListedOddAnswer['reaction'], string> = {
  noAnswer: 'counted as no answer',
  rowSkipped: 'that row was left out',
  pending: 'counted as not ended',
  ignored: 'it was ignored',
  unknown: 'that fact counts as unknown',
  lowest: 'counted as the lowest tier',
  refused: 'counted as a refusal like others',
  readAsIs: 'read as it came',
};

const differences: Record<ListedOddAnswer['difference'], (found: string) => string> = {
  missing: () => 'is missing',
  type: (found) => `is of another type, ${found}`,
  value: (found) => `has a new value, ${found || 'an empty text'}`,
};

const wordsOf = ({ place, path, difference, found, reaction, count }: ListedOddAnswer): string =>
  `${path || 'the answer'} of ${place} ${differences[difference](found)} (${count} times; ${reactions[reaction]})`;

/** Finds the platforms that lately answered in a way that this version does not know. */
export function examineAnswers(odd: readonly ListedOddAnswer[], nowMs: number): Finding[] {
  const recent = odd.filter(({ lastSeenAtMs }) => lastSeenAtMs > nowMs - RECENT_MS);
  return Object.entries(platforms).flatMap(([platform, name]): Finding[] => {
    const of = recent.filter((each) => each.platform === platform);
    if (of.length === 0) return [];
    const more = of.length > MAX_NAMED ? `; and ${of.length - MAX_NAMED} more` : '';
    return [
      {
        name: 'answersDiffer',
        what: `${name} answers in a way that this version does not know: ${of.slice(0, MAX_NAMED).map(wordsOf).join('; ')}${more}.`,
        why: 'What depends on such an answer may wait, or be decided wrongly if it was read as it came.',
        remedy: 'Run `keepsake shapes`, attach its output to an issue, and look for a newer version.',
      },
    ];
  });
}
