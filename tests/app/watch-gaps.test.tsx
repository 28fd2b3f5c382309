import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { Gaps } from '#app/routes/progress/watch-gaps.tsx';
import { translations } from '#app/services/translations.server.ts';
import { watchGapReasons } from '#db/schema/channel.ts';
import { START_MS } from '#tests/support/fixtures.ts';

const render = (language: 'en' | 'ru', gaps: Parameters<typeof Gaps>[0]['gaps']) => {
  const context = { user: null, theme: 'system', timeZone: 'Europe/London', path: '/', imageUrl: '' };
  return renderToStaticMarkup(
    <TranslationContext value={translations(language)}>
      <PageContext value={context as never}>
        <Gaps gaps={gaps} />
      </PageContext>
    </TranslationContext>,
  );
};

test.each([
  [300, '1 Nov, 16:02–16:07'],
  [40, '1 Nov, 16:02'],
  [86_400, '1 Nov, 16:02 – 2 Nov, 16:02'],
])('An interval of %i s is shown by when it began and ended', (seconds, words) => {
  const fromMs = Date.UTC(2026, 10, 1, 16, 2, 10);
  const html = render('en', [{ fromMs, untilMs: fromMs + seconds * 1000, reason: 'notPolled' }]);
  expect(html.replace(/<[^>]*>/g, '\n').split('\n')).toContain(words);
});

test.each(['en', 'ru'] as const)(
  'Each interval that did not count is shown with its reason in %s',
  (language) => {
    const gaps = watchGapReasons.map((reason, hour) => ({
      fromMs: START_MS + hour * 3_600_000,
      untilMs: START_MS + hour * 3_600_000 + 300_000,
      reason,
    }));
    const html = render(language, gaps);
    const { t } = translations(language);
    for (const reason of watchGapReasons) expect(html).toContain(t(`progress.gap.${reason}`));
    expect(html).toContain(t('progress.gaps', { count: gaps.length }));
  },
);
