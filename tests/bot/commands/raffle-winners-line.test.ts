import { expect, test } from 'vitest';
import { MAX_LINE_LENGTH } from '#bot/commands/chat-line.ts';
import { raffleLines } from '#bot/commands/raffle-line.ts';
import { en } from '#bot/locales/en.ts';
import { ru } from '#bot/locales/ru.ts';

const named = (kind: string, amount: number) =>
  Array.from({ length: amount }, (_, index) => `${kind}_${index}_${'x'.repeat(14)}`);

test.each([en, ru])(
  'Every winner is named in chat, each line with its link, and those without an account first',
  ({ raffle }) => {
    const [names, withoutAccount] = [named('known', 12), named('new', 13)];
    const announcement = { kind: 'drawn', raffleId: 'one', names, withoutAccount, hours: 24 } as const;
    const lines = raffleLines(raffle, announcement, { origin: 'https://keepsake.example', nowMs: 0 });
    const claims = lines.findIndex((line) => line.includes('/rewardProgress'));
    expect(claims).toBeGreaterThan(0);
    for (const [index, line] of lines.entries()) {
      expect(line.length).toBeLessThanOrEqual(MAX_LINE_LENGTH);
      expect(line).toContain(index < claims ? '/raffle/one' : '/rewardProgress');
    }
    const called = lines.flatMap((line) => line.match(/@\w+/g) ?? []);
    expect(called).toEqual([...withoutAccount, ...names].map((name) => `@${name}`));
  },
);

test('No line ends in half a character', () => {
  const announcement = {
    kind: 'started',
    raffleId: 'one',
    keyword: 'go',
    winners: 1,
    endsAtMs: 0,
    commitment: 'ab'.repeat(32),
  } as const;
  for (const length of [400, 401]) {
    const item = 'a'.repeat(length) + '\u{1f3c6}'.repeat(100);
    const [line = ''] = raffleLines(
      en.raffle,
      { ...announcement, item },
      { origin: 'https://keepsake.example', nowMs: 0 },
    );
    expect(Buffer.from(line).toString()).toBe(line);
  }
});
