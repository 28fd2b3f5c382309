import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { useUtcDayText } from '#app/components/text/local-time.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { translations } from '#app/services/translations.server.ts';

const Day = ({ ms }: { ms: number }) => useUtcDayText()(ms);

test.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Apia', 'Pacific/Midway', 'Asia/Tokyo'])(
  'A day counted in UTC has the same name in %s',
  (timeZone) => {
    const context = { timeZone } as never;
    const html = renderToStaticMarkup(
      <TranslationContext value={translations('en')}>
        <PageContext value={context}>
          <Day ms={Date.UTC(2026, 10, 23)} />
        </PageContext>
      </TranslationContext>,
    );
    expect(html).toBe('Mon 23 Nov');
  },
);
