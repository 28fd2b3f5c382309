import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createRoutesStub } from 'react-router';
import { expect, test } from 'vitest';
import { ConditionList, RuleBadge } from '#app/components/rules/rule-words.tsx';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { ProgressCard, ReadyCard } from '#app/routes/progress/progress-cards.tsx';
import { DryRunWords } from '#app/routes/rules/dry-run.tsx';
import { translations } from '#app/services/translations.server.ts';
import { refundReasons } from '#db/schema/redemption.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import type { DryRun } from '#domain/view/dry-run.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';
import { noProgress, nothingAsked } from '#tests/support/conditions.ts';
import { demoChannel, demoReward } from './support/demo-reward.ts';

/** The text of a page fragment, without icons. */
function read(children: ReactNode, language: 'en' | 'ru' = 'en'): string {
  const Stub = createRoutesStub([{ path: '/', Component: () => children }]);
  const context = {
    user: null,
    theme: 'system',
    timeZone: 'UTC',
    path: '/',
    imageUrl: '',
    appliedImageUrl: '',
    sites: { steam: 'https://steam.example/', twitch: 'https://twitch.example/' },
  };
  const html = renderToStaticMarkup(
    <TranslationContext value={translations(language)}>
      <PageContext value={context as never}>
        <Stub />
      </PageContext>
    </TranslationContext>,
  );
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

const found: DryRun = {
  days: 30,
  viewers: 83,
  meeting: 12,
  registered: 7,
  names: ['Anna', 'Bert'],
  atOnce: 0,
  unread: [],
  nothingKnown: false,
  pointsToo: false,
  streamsToo: false,
  startsAtZero: true,
  pool: { available: 20, lastsDays: 50 },
};
const reported = (more: Partial<DryRun> = {}, language: 'en' | 'ru' = 'en', rewards = 0) =>
  read(<DryRunWords found={{ ...found, ...more }} rewards={rewards} />, language);

test('A dry run says who qualifies, what it costs, and how long the items last', () => {
  const words = reported();
  for (const part of [
    '12 of 83 viewers would have qualified by now.',
    '7 of them have an account here: Anna, Bert and 5 more',
    'That takes 7 rewards, and up to 12 if all of them sign up.',
    'Nobody is promised a reward right away.',
    'Your 20 available items last 50 days or longer',
  ])
    expect(words).toContain(part);
});

test('A dry run says whether the picked rewards are enough', () => {
  expect(reported({}, 'en', 7)).toContain(
    'Your 7 rewards are enough for all of them who have an account here.',
  );
  expect(reported({}, 'en', 5)).toContain('Rewards: 5. Then 2 viewers with an account wait in line.');
  expect(reported({}, 'en', 5)).not.toContain('That takes');
});

test('Unknown is never shown as nobody', () => {
  const unread = { unread: ['followers'] as const, atOnce: null, meeting: 0, registered: 0 };
  for (const language of ['en', 'ru'] as const) {
    const words = reported({ ...unread, unread: ['followers'], nothingKnown: true }, language);
    expect(words).not.toMatch(/\d/);
    expect(words).toContain(language === 'en' ? 'Until then, it is unknown' : 'неизвестно');
  }
  const comes = { streamsToo: true, meeting: 9 };
  for (const language of ['en', 'ru'] as const) {
    const words = reported({ streamsToo: true, nothingKnown: true }, language);
    expect(words).not.toMatch(/\d/);
    expect(words).toContain(
      language === 'en' ? 'Earlier ones are not known' : 'о прежних ничего не известно',
    );
    expect(reported(comes, language)).toContain(
      language === 'en' ? '9 of 83 viewers could meet this rule by attending' : 'побывав на стримах: 9 из 83',
    );
  }
  expect(reported({ ...comes, pointsToo: true })).toContain('At most 9 of 83 viewers');
  expect(reported({ ...unread, unread: ['followers'], meeting: 4 })).toContain('At most 4 of 83 viewers');
  const never = reported({ days: 0, viewers: 0, meeting: 0, registered: 0 });
  expect(never).toContain('has not watched this channel yet');
  expect(never).not.toMatch(/\d+ of \d+/);
});

const progress: RuleProgress = {
  ruleId: 'rule',
  ruleName: 'Five hundred',
  ruleType: 'one',
  ruleCreatedAtMs: 0,
  asked: nothingAsked,
  claimTimeoutHours: 72,
  status: 'inProgress',
  inLine: null,
  pauseReason: null,
  resumesAtMs: null,
  channel: demoChannel,
  progress: {
    ...noProgress,
    subscriber: { haveTier: 1, needTier: 2, met: false },
    points: { cost: 500, redeemedAtMs: null, refused: false, met: false },
    met: false,
  },
  freeRewards: 2,
  hadRewards: true,
  nextItem: null,
  chances: [],
  redemption: null,
  streamSeconds: null,
  gaps: [],
  presence: null,
  attended: false,
  watchedSeconds: 60,
};
const card = (more: Partial<RuleProgress>) => read(<ProgressCard rule={{ ...progress, ...more }} />);

test('A card names the missing tier, and advises against spending points before the rest is met', () => {
  expect(card({})).toContain('tier 1, tier 2 or higher is needed');
  expect(card({})).toContain('500 points');
  expect(card({})).toContain('Meet the other conditions first');
  const subscriber = { haveTier: 2, needTier: 2, met: true } as const;
  const ready = card({ progress: { ...progress.progress, subscriber } });
  expect(ready).toContain('Every other condition is met. Redeem “Five hundred”');
  const alone = card({ progress: { ...progress.progress, subscriber: null } });
  expect(alone).toContain('Only Twitch knows how many points you have.');
});

test.each(refundReasons)('Points refunded because of %s are reported with the reason', (refundReason) => {
  const words = ['returning', 'returned'].map((points) =>
    card({ redemption: { redeemedAtMs: 0, points: points as 'returned', refundReason } }),
  );
  expect(words[0]).toContain('are being refunded:');
  expect(words[1]).toContain('were refunded:');
  expect(words.join()).not.toContain('progress.refund');
});

test('An extended claim window is shown, with the length and the reason', () => {
  const ready = (more: Partial<MyReward>) =>
    read(<ReadyCard reward={{ ...demoReward, ...more }} nowMs={hour} />);
  expect(ready({})).not.toContain('Moved');
  const outages = [{ fromMs: 3 * hour - 5 * minute, untilMs: 5 * hour }];
  const words = ready({ claimShiftedMs: 2 * hour + 5 * minute, outages });
  expect(words).toContain('Extended by 2 h 5 min because our bots could not deliver:');
  expect(words).toMatch(/02:55.*05:00/);
  expect(ready({ claimShiftedMs: 2 * hour })).toContain('could not deliver for that long');
});

test('A custom reward that Twitch refuses is reported before an empty pool', () => {
  const empty = {
    ...nothingAsked,
    pointsCost: 100,
    state: 'open',
    pauseReason: null,
    resumesAtMs: null,
  } as const;
  const badge = (customRewardFault: 'notAffiliate' | null, claimed = 1, recalled = 0) =>
    read(<RuleBadge rule={{ ...empty, pool: { free: 0, claimed, recalled }, customRewardFault }} />);
  expect(badge('notAffiliate')).toContain('Twitch rejected the reward');
  expect(badge(null)).toContain('Out of rewards');
  expect(badge(null, 0)).toContain('No rewards yet');
  // It had one, which went back to its streamer.
  expect(badge(null, 0, 1)).toContain('Out of rewards');
});

test('A rule with few free rewards is marked before it runs out', () => {
  const rule = { ...nothingAsked, watchMinutes: 60, state: 'open', pauseReason: null } as const;
  const badge = (free: number, claimed: number) =>
    read(<RuleBadge rule={{ ...rule, pool: { free, claimed, recalled: 0 }, customRewardFault: null }} />);
  expect(badge(2, 1)).toContain('Low on rewards');
  expect(badge(3, 1)).toContain('Open');
  // A new rule has as many as its streamer chose.
  expect(badge(2, 0)).toContain('Open');
});

test.each<[number | null, 'en' | 'ru', string]>([
  [Date.UTC(2026, 0, 5), 'en', 'Counted since'],
  [null, 'en', 'Counted from when it was first asked for'],
  [null, 'ru', 'Учитывается с добавления условия'],
])(
  'Watch time is dated only if all of it counts from one time: %s, %s',
  (countsFromMs, language, expected) => {
    const rule = { ...nothingAsked, watchMinutes: 60, countsFromMs };
    expect(read(<ConditionList rule={rule} />, language)).toContain(expected);
  },
);
