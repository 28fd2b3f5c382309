import { describe, expect, test } from 'vitest';
import { joinAnswers } from '#bot/commands/chat-answer.ts';
import { cutLine, joinWithinLimit, MAX_LINE_LENGTH } from '#bot/commands/chat-line.ts';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { cutText } from '#platform/cut-text.ts';

const family = '👨‍👩‍👧‍👦';
const url = 'https://keepsake.demo.example.org/rewardProgress';

describe('A line that is too long', () => {
  test.each([
    ['a family of emoji', family],
    ['a letter with its accent apart', 'e\u0301'],
    ['a flag', '🇩🇪'],
    ['a character of two halves', '𝔨'],
  ])('is cut before %s, not within', (_, grapheme) => {
    for (let before = 1; before < grapheme.length; before += 1) {
      const start = 'x'.repeat(MAX_LINE_LENGTH - before);
      expect(cutText(`${start}${grapheme}yy`, MAX_LINE_LENGTH)).toBe(start);
      expect(joinWithinLimit([`${start}${grapheme}yy`], MAX_LINE_LENGTH, String)).toBe(start);
    }
    expect(cutText(`x${grapheme}`, 1 + grapheme.length)).toBe(`x${grapheme}`);
  });

  test('keeps its link, and what follows it', () => {
    const line = cutLine(`Earned: “${family.repeat(60)}”. Claim: ${url} Good luck!`);
    expect(line).toMatch(new RegExp(`^Earned: “(${family})+… ${url} Good luck!$`));
    expect(line.length).toBeLessThanOrEqual(MAX_LINE_LENGTH);
    expect(line.length).toBeGreaterThan(MAX_LINE_LENGTH - family.length - 2);
  });

  test('loses a link that does not fit as a whole', () => {
    const long = `https://example.org/${'a'.repeat(MAX_LINE_LENGTH)}`;
    expect(cutLine(`Look: ${long}`)).toBe('Look:…');
    // Only the last link has to stay.
    expect(cutLine(`${'x'.repeat(380)} https://example.org/${'b'.repeat(60)} and ${url}`)).toBe(
      `${'x'.repeat(380)}… ${url}`,
    );
  });

  test('without a link shows that it goes on', () => {
    expect(cutLine('x'.repeat(500))).toBe(`${'x'.repeat(MAX_LINE_LENGTH - 1)}…`);
    expect(cutLine('x'.repeat(MAX_LINE_LENGTH))).toBe('x'.repeat(MAX_LINE_LENGTH));
  });

  test('for several viewers is cut there as well, before its link', async () => {
    const tail = ` · Claim: ${url}`;
    const part = family.repeat(60);
    const asked = [{ twitchId: '1' }, { twitchId: '2' }] as ChatMessage[];
    const answerTo = async () => ({ alone: part, part });
    for (const others of [0, 3]) {
      const more = ({ count }: { count: number }) => `and ${count} more`;
      const { text } = await joinAnswers(asked, others, answerTo, { tail, more });
      expect(text).toMatch(new RegExp(`^(${family})+( · and 3 more)?${tail}$`));
      expect(text.length).toBeLessThanOrEqual(MAX_LINE_LENGTH);
    }
  });
});
