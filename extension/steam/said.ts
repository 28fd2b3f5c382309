import * as en from '../texts/en.ts';
import * as ru from '../texts/ru.ts';
import { dateText, type Language } from '../texts/texts.ts';
import type { ComparedFact, Fact, Verdict } from './judge.ts';

/** The colour of a verdict, which its sign and words say as well. */
export type Tone = 'good' | 'bad' | 'unsure';

/** A verdict in words. */
export interface Said {
  tone: Tone;
  title: string;
  line: string;
  foot: string;
  facts: { label: string; agrees: boolean; text: string }[];
  canAskAgain: boolean;
}

/** The words for Steam's pages. */
export const verdictTexts: Record<Language, typeof en.verdict> = { en: en.verdict, ru: ru.verdict };
const doubts = {
  en: { ...en.silences, ...en.doubts },
  ru: { ...ru.silences, ...ru.doubts },
};

function factText({ of, agrees, here, ours }: Fact, bot: string, texts: typeof en.verdict): string {
  if (!agrees) return texts.differ[of](here, ours);
  return of === 'sender' ? texts.agree.sender(bot) : texts.agree[of](here);
}

const wordsOf = (key: 'imitated' | 'altered' | 'foreign' | 'changed', texts: typeof en.verdict) => ({
  title: texts.verdicts[key],
  line: texts.lines[key],
  foot: texts.feet[key],
});

/** Puts a verdict into words; null if there is nothing to say. */
export function say(verdict: Verdict, language: Language): Said | null {
  const texts = verdictTexts[language];
  const factsOf = (facts: Fact[], bot: string) =>
    facts.map((fact) => ({
      label: texts.facts[fact.of],
      agrees: fact.agrees,
      text: factText(fact, bot, texts),
    }));
  switch (verdict.is) {
    case 'none':
    case 'checking':
      return null;
    case 'reward':
    case 'return':
    case 'deposit': {
      const { offer, facts } = verdict;
      const { bot, items, ruleName, channelName, openUntil } = offer;
      const pieces = items.reduce((sum, { amount }) => sum + amount, 0);
      const title = {
        reward: () => texts.verdicts.reward(channelName),
        return: () => texts.verdicts.return(),
        deposit: () => texts.verdicts.deposit(pieces),
      }[verdict.is]();
      const names = items.map(({ name }) => name).join(', ');
      const line = {
        reward: () => texts.lines.reward(names, ruleName),
        return: () => texts.lines.return(pieces),
        deposit: () => texts.lines.deposit(bot.name),
      }[verdict.is]();
      const until = openUntil === null ? '' : ` ${texts.lines.until(dateText(openUntil, language))}`;
      const foot = verdict.is === 'deposit' ? texts.feet.deposit : texts.feet.good;
      return {
        tone: 'good',
        title,
        line: line + until,
        foot,
        facts: factsOf(facts, bot.name),
        canAskAgain: false,
      };
    }
    case 'imitated':
    case 'foreign': {
      const { is, facts } = verdict;
      const offer = is === 'imitated' ? verdict.offer : null;
      const differs = (of: ComparedFact) => facts.some((fact) => fact.of === of && !fact.agrees);
      const isOurs = offer !== null && !differs('sender') && !differs('code');
      // Only an offer of another sender leaves the reward that it imitates waiting.
      const waits = offer?.kind === 'claim' && differs('sender') ? texts.feet.waits : '';
      const key = isOurs ? 'altered' : is;
      return {
        tone: 'bad',
        ...wordsOf(key, texts),
        foot: texts.feet[key] + waits,
        facts: factsOf(facts, offer?.bot.name ?? ''),
        canAskAgain: false,
      };
    }
    case 'changed':
      return { tone: 'bad', ...wordsOf('changed', texts), facts: [], canAskAgain: false };
    case 'unknown': {
      const words = {
        title: texts.verdicts.unknown,
        line: doubts[language][verdict.why],
        foot: texts.feet.unknown,
      };
      return { tone: 'unsure', ...words, facts: [], canAskAgain: true };
    }
  }
}
