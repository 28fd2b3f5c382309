import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { Gaps } from '#app/routes/progress/watch-gaps.tsx';
import { translations } from '#app/services/translations.server.ts';
import { watchGapReasons } from '#db/schema/channel.ts';
import { START_MS } from '#tests/support/fixtures.ts';

test.each(['en', 'ru'] as const)(
  'Each interval that did not count is shown with its reason in %s',
  (language) => {
    const context = { user: null, theme: 'system', timeZone: 'UTC', path: '/', imageUrl: '' };
    const gaps = watchGapReasons.map((reason, hour) => ({
      fromMs: START_MS + hour * 3_600_000,
      untilMs: START_MS + hour * 3_600_000 + 300_000,
      reason,
    }));
    const html = renderToStaticMarkup(
      <TranslationContext value={translations(language)}>
        <PageContext value={context as never}>
          <Gaps gaps={gaps} />
        </PageContext>
      </TranslationContext>,
    );
    const { t } = translations(language);
    for (const reason of watchGapReasons) expect(html).toContain(t(`progress.gap.${reason}`));
    expect(html).toContain(t('progress.gaps', { count: gaps.length }));
  },
);
