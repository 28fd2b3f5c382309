import { expect, test } from 'vitest';
import { promptFor, titlesFor } from '#bot/twitch/points/custom-reward-text.ts';

const ruleId = '019ab0c4-77aa-7bbb-8ccc-0123456789ab';

test('A custom reward is called like its rule, or like it with a mark of its own', () => {
  expect(titlesFor({ ruleId, ruleName: '  A case \n for the crew ' })).toEqual([
    'A case for the crew',
    'A case for the crew · 6789ab',
  ]);
});

test.each(['x'.repeat(46), '🎁'.repeat(40), 'слово '.repeat(20)])(
  'A long name is cut where a character ends: %s',
  (ruleName) => {
    const [title, marked] = titlesFor({ ruleId, ruleName });
    for (const one of [title, marked]) {
      expect(one.length).toBeLessThanOrEqual(45);
      expect(one.length).toBeGreaterThan(40);
      expect(() => encodeURIComponent(one)).not.toThrow();
    }
    expect(title).not.toBe(marked);
    expect(marked.endsWith('… · 6789ab')).toBe(true);
  },
);

test.each(['en', 'ru'] as const)('What stands under it fits into what Twitch takes, in %s', (locale) => {
  const short = promptFor({ locale, winnable: ['Demo case', 'Demo knife'], host: 'keepsake.example' });
  expect(short).toContain('Demo case / Demo knife');
  expect(short).toContain('keepsake.example');
  const long = promptFor({ locale, winnable: ['★ Demo knife '.repeat(30)], host: 'keepsake.example' });
  expect(long.length).toBeLessThanOrEqual(200);
  expect(long).toContain(locale === 'en' ? 'points back.' : 'баллы вернутся.');
});
