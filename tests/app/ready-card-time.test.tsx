import { Window } from 'happy-dom';
import { act, type ComponentProps } from 'react';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import Progress from '#app/routes/progress/progress.tsx';
import { translations } from '#app/services/translations.server.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { demoReward } from './support/demo-reward.ts';

/** A stream that stays open and tells nothing. */
class SilentStream {
  close() {}
}

const reward = { ...demoReward, promisedAtMs: START_MS, claimUntilMs: START_MS + 5 * hour };
const found = {
  nowMs: START_MS,
  outageMs: 0,
  ready: [reward],
  awaiting: [],
  delivered: [],
  past: [],
  missed: [],
  progress: { rows: [], next: null },
  isUnseen: false,
};
const context = {
  user: null,
  theme: 'system',
  timeZone: 'UTC',
  path: '/',
  imageUrl: '',
  appliedImageUrl: '',
  sites: { steam: 'https://steam.example/', twitch: 'https://twitch.example/' },
};

test('The time left to claim a reward goes on while its page is not loaded again', async () => {
  const window = new Window({ url: 'https://keepsake.example/rewardProgress' });
  onTestFinished(() => window.happyDOM.close());
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', window.document);
  vi.stubGlobal('EventSource', SilentStream);
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  // No reload comes through: the server is away.
  vi.stubGlobal('fetch', async () => new Response(null, { status: 503 }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const props: unknown = { loaderData: { found, lacks: {} } };
  const page = <Progress {...(props as ComponentProps<typeof Progress>)} />;
  const router = createMemoryRouter([{ path: '/', element: page }]);
  const root = createRoot(window.document.body as never);
  const show = () =>
    root.render(
      <TranslationContext value={translations('en')}>
        <PageContext value={context as never}>
          <RouterProvider router={router} />
        </PageContext>
      </TranslationContext>,
    );
  await act(async () => show());
  const left = () => window.document.querySelector('.amount')?.textContent;
  expect(left()).toBe('5 h');
  await act(async () => void (await vi.advanceTimersByTimeAsync(30 * minute)));
  expect(left()).toBe('4 h 30 min');
  await act(async () => root.unmount());
});
