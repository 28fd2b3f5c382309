import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { Gaps } from '#app/components/progress-conditions.tsx';
import { SurroundingsContext } from '#app/components/surroundings.tsx';
import { translations } from '#app/services/translations.server.ts';
import { watchGapReasons } from '#db/schema/channel.ts';
import { START_MS } from '#tests/support/fixtures.ts';

test.each(['en', 'ru'] as const)(
  'Each interval that did not count is shown with its reason in %s',
  (language) => {
    const surroundings = { user: null, theme: 'system', timeZone: 'UTC', path: '/', imageUrl: '' };
    const gaps = watchGapReasons.map((reason, hour) => ({
      fromMs: START_MS + hour * 3_600_000,
      untilMs: START_MS + hour * 3_600_000 + 300_000,
      reason,
    }));
    const html = renderToStaticMarkup(
      <I18nextProvider i18n={translations(language)}>
        <SurroundingsContext value={surroundings as never}>
          <Gaps gaps={gaps} />
        </SurroundingsContext>
      </I18nextProvider>,
    );
    const { t } = translations(language);
    for (const reason of watchGapReasons) expect(html).toContain(t(`progress.gap.${reason}`));
    expect(html).toContain(t('progress.gaps', { count: gaps.length }));
  },
);
