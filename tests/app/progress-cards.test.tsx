import { renderToStaticMarkup } from 'react-dom/server';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { describe, expect, test } from 'vitest';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { EmptyRules } from '#app/routes/channels/offer.tsx';
import { AwaitingCard, PastRow, ProgressCard, ReadyCard } from '#app/routes/progress/progress-cards.tsx';
import { translations } from '#app/services/translations.server.ts';
import { hour } from '#domain/kernel/time.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';
import type { Presence } from '#domain/watch-time/read-presences.ts';
import { noProgress, nothingAsked } from '#tests/support/conditions.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { demoProgress as rule } from './support/demo-progress.ts';
import { demoReward } from './support/demo-reward.ts';

const { t } = translations('en');
const reward: MyReward = { ...demoReward, promisedAtMs: START_MS, claimUntilMs: START_MS + 72 * hour };

function htmlOf(card: React.ReactNode): string {
  const context = {
    user: null,
    theme: 'system',
    timeZone: 'UTC',
    path: '/',
    imageUrl: '',
    appliedImageUrl: '',
    sites: { steam: 'https://steam.example/', twitch: 'https://twitch.example/' },
  };
  const router = createMemoryRouter([{ path: '/', element: card }]);
  return renderToStaticMarkup(
    <TranslationContext value={translations('en')}>
      <PageContext value={context as never}>
        <RouterProvider router={router} />
      </PageContext>
    </TranslationContext>,
  );
}

test('Streams are stamped on a card with as many places as are asked for, and said in words', () => {
  const asked = { ...nothingAsked, attendedStreams: 8, ofLastStreams: 12 };
  const streams = { haveStreams: 3, needStreams: 8, ofLastStreams: 12, met: false };
  const html = htmlOf(
    <ProgressCard rule={{ ...rule, asked, progress: { ...noProgress, streams, met: false } }} />,
  );
  expect(html).toContain('Streams attended out of 12 in a row');
  expect(html).toMatch(/<b>3<\/b> of 8/);
  expect(html).toMatch(/class="stamps" viewBox="0 0 80 10" aria-hidden="true"/);
  expect(html).not.toContain('<progress');
});

test.each<[Presence, string]>([
  [{ is: 'counted', lookedAtMs: START_MS }, 'In chat now: yes, last looked 12:00 UTC.'],
  [
    { is: 'absent', lookedAtMs: START_MS },
    'In chat now: no, last looked 12:00 UTC. Open the channel’s chat so that your time counts.',
  ],
  [
    { is: 'uncounted', reason: 'excluded', lookedAtMs: START_MS },
    'but your time does not count. The streamer excluded your account: ask them.',
  ],
  [
    { is: 'uncounted', reason: 'bot', lookedAtMs: START_MS },
    'Your account is on a list of bots. <a href="/contact" data-discover="true">I am not a bot</a>',
  ],
  [
    { is: 'uncounted', reason: 'watchedElsewhere', lookedAtMs: START_MS },
    'You are in too many live channels at once: close some of them.',
  ],
  [
    { is: 'unknown', lookedAtMs: START_MS },
    'In chat now: unknown, last looked 12:00 UTC. The chat could not be read since.',
  ],
  [{ is: 'unknown', lookedAtMs: null }, 'In chat now: unknown. We have not looked in this stream yet.'],
])('A viewer sees whether the last look at the chat found them: %j', (presence, text) => {
  expect(htmlOf(<ProgressCard rule={{ ...rule, presence }} />)).toContain(text);
  const watch = { haveSeconds: 60, needSeconds: 60, met: true };
  const met = { ...rule, presence, progress: { ...rule.progress, watch } };
  expect(htmlOf(<ProgressCard rule={met} />)).not.toContain('In chat now');
});

test('What was watched and what is left to watch are together the goal', () => {
  const watch = { haveSeconds: 150, needSeconds: 3_600, met: false };
  const html = htmlOf(<ProgressCard rule={{ ...rule, progress: { ...rule.progress, watch } }} />);
  expect(html).toContain('2 min');
  expect(html).toContain('58 min');
});

describe('A rule in progress', () => {
  const watchOnTwitch = 'https://twitch.example/demo_channel';

  test('links to the live channel while there is something to watch for', () => {
    expect(htmlOf(<ProgressCard rule={rule} />)).toContain(watchOnTwitch);
    const watch = { haveSeconds: 36_000, needSeconds: 36_000, met: true };
    const watched = { ...rule, progress: { ...rule.progress, watch } };
    expect(htmlOf(<ProgressCard rule={watched} />)).not.toContain(watchOnTwitch);
  });

  test('does not send anybody to watch while it is paused, and says when that time may not count', () => {
    const paused = { ...rule, status: 'paused', pauseReason: 'lostPermission' } as const;
    const html = htmlOf(<ProgressCard rule={paused} />);
    expect(html).not.toContain(watchOnTwitch);
    expect(html).toContain(t('progress.pausedUnseen'));
    expect(htmlOf(<ProgressCard rule={{ ...paused, pauseReason: 'overLimit' }} />)).toContain(
      t('progress.paused'),
    );
  });
});

test('Only a rule that ever had rewards is out of them', () => {
  const empty = { ...rule, status: 'outOfRewards', freeRewards: 0 } as const;
  expect(htmlOf(<ProgressCard rule={empty} />)).toContain('Out of rewards');
  const html = htmlOf(<ProgressCard rule={{ ...empty, hadRewards: false }} />);
  expect(html).toContain('No rewards yet');
  expect(html).not.toContain('Out of rewards');
});

test('A channel’s page says of an empty rule whether it ever had rewards, and who waits', () => {
  const amounts = { free: 0, promised: 0, reserved: 0, claimed: 0, recalled: 0 };
  const empty = (pool: object, waiting: number) =>
    htmlOf(<EmptyRules rules={[{ id: 'rule', name: 'Ten hours', waiting, pool } as never]} />);
  expect(empty({ ...amounts, claimed: 1 }, 0)).toContain('“Ten hours” is out of rewards.');
  expect(empty(amounts, 0)).toContain('“Ten hours” has no rewards yet.');
  expect(empty(amounts, 2)).toContain('has no rewards yet; 2 viewers are on its waiting list');
});

test('A reward names its rule, even after an earlier claim', () => {
  expect(htmlOf(<ReadyCard reward={reward} nowMs={START_MS} />)).toContain('Ten hours');
  const unmet = { ...reward, unmetCondition: 'subscriber' } as const;
  expect(htmlOf(<ReadyCard reward={unmet} nowMs={START_MS} />)).toContain('Ten hours');
  expect(htmlOf(<AwaitingCard reward={{ ...reward, state: 'reserved' }} />)).toContain('Ten hours');
});

describe('A claim that failed', () => {
  const card = (claimFailure: MyReward['claimFailure']) =>
    htmlOf(<ReadyCard reward={{ ...reward, claimFailure }} nowMs={START_MS} />);

  test('says why, until when the reward is kept, and leads to the transfer', () => {
    const html = card({ kind: 'declined' });
    expect(html).toContain(t('progress.failure.declined'));
    expect(html).toContain(t('progress.failure.declinedText'));
    expect(html).toContain('The reward is yours until');
    expect(html).toContain('href="/transfers?kind=claim"');
    expect(card(null)).not.toContain('/transfers');
  });

  test('says that the viewer cancelled it, and that it can be claimed again', () => {
    const html = card({ kind: 'withdrawn' });
    expect(html).toContain(t('progress.failure.withdrawn'));
    expect(html).toContain(t('progress.failure.withdrawnText'));
    expect(html).toMatch(/btn--primary[^>]*\/claim/);
  });

  test('for a dead trade link leads to a new one first', () => {
    const html = card({ kind: 'refused', reason: 'steamTokenInvalid' });
    expect(html).toContain(t('progress.failure.tradeLink'));
    expect(html).toMatch(/btn--primary[^>]*href="\/profile#trade-link"/);
    expect(html).not.toMatch(/btn--primary[^>]*\/claim/);
  });

  test('for a reason unknown here puts no fault on the viewer', () => {
    expect(card({ kind: 'refused', reason: 'unheardOf' })).toContain(t('progress.failure.ours'));
  });
});

test.each([
  [null, 'Not claimed by'],
  ['notAccepted', t('progress.offerNotAccepted')],
  ['declined', t('progress.offerDeclined')],
  ['withdrawn', 'Not claimed by'],
] as const)('A promise that ended with its offer (%s) says so', (kind, story) => {
  const past: MyReward = {
    ...reward,
    state: 'recalled',
    recallReason: 'timedOut',
    claimFailure: kind && { kind },
  };
  expect(htmlOf(<PastRow reward={past} />)).toContain(story);
});

test('An offer on Steam says by when to accept it', () => {
  const bot = { name: 'Demo bot', steamId: null };
  const offer = {
    transferId: 'transfer',
    state: 'sent',
    securityCode: 'DEMO',
    offerId: '42',
    sentAtMs: START_MS,
    cancelAtMs: START_MS + 24 * hour,
    isHeldBack: false,
    bot,
  } as const;
  const html = htmlOf(<AwaitingCard reward={{ ...reward, state: 'reserved', offer }} />);
  expect(html).toContain('accept it by');
  expect(html).toContain('href="https://steam.example/tradeoffer/42/"');
  expect(html).not.toContain(t('progress.held'));
  const held = { ...reward, state: 'reserved', offer: { ...offer, state: 'escrowed' } } as const;
  expect(htmlOf(<AwaitingCard reward={held} />)).toContain(t('progress.held'));
});

test('A claim that waits for the operator says so instead of promising its offer soon', () => {
  const offer = {
    transferId: 'transfer',
    state: 'queued',
    securityCode: 'DEMO',
    offerId: null,
    sentAtMs: null,
    cancelAtMs: null,
    isHeldBack: true,
    bot: { name: 'Demo bot', steamId: null },
  } as const;
  const html = htmlOf(<AwaitingCard reward={{ ...reward, state: 'reserved', offer }} />);
  expect(html).toContain(t('progress.heldBack'));
  expect(html).not.toContain(t('progress.preparing'));
});

test('A reward that is held back says from when it is sent, before and after it is claimed', () => {
  const heldBack: MyReward = { ...reward, sendsFromMs: START_MS + 24 * hour };
  expect(htmlOf(<ReadyCard reward={heldBack} nowMs={START_MS} />)).toMatch(
    /after a delay: this one from Tue 6 Jan, 12:00 UTC/,
  );
  const offer = {
    transferId: 'transfer',
    state: 'queued' as const,
    securityCode: 'ABCD',
    offerId: null,
    sentAtMs: null,
    cancelAtMs: null,
    isHeldBack: false,
    bot: { name: 'bot-1', steamId: null },
  };
  const awaiting: MyReward = { ...heldBack, state: 'reserved', offer };
  expect(htmlOf(<AwaitingCard reward={awaiting} />)).toMatch(/The offer is sent from Tue 6 Jan, 12:00 UTC/);
  expect(htmlOf(<AwaitingCard reward={{ ...awaiting, sendsFromMs: null }} />)).toContain(
    t('progress.preparing'),
  );
});
