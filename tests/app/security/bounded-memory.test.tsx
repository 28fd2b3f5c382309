import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { renderToString } from 'react-dom/server';
import { RouterContextProvider } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { admitCaller } from '#app/api/limits.server.ts';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { Still, StillContext } from '#app/components/shell/still.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { type TimeStyle, useTimeText } from '#app/components/text/local-time.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { languages } from '#app/locales/languages.ts';
import { cachedPage } from '#app/middleware/cached-page.server.ts';
import { languageContext } from '#app/middleware/contexts.server.ts';
import { dateRangeIn, dayTextOf } from '#app/services/date-range.server.ts';
import { registry } from '#app/services/metrics.server.ts';
import { pageResponse } from '#app/services/page-response.server.ts';
import { timeZoneOf } from '#app/services/preferences.server.ts';
import { imageOf } from '#app/services/share/item-images.server.ts';
import { stillMarkup } from '#app/services/still-markup.server.tsx';
import { translations } from '#app/services/translations.server.ts';
import { cacheUses } from '#platform/bounded-cache.ts';
import { setWebEnvironment } from '../support/web-environment.ts';

setWebEnvironment();
afterEach(() => vi.useRealTimers());

const visit = (zone: string) =>
  new Request('http://localhost:3000/faq', {
    headers: { Cookie: `keepsake_time_zone=${encodeURIComponent(zone)}` },
  });

const realZones = Intl.supportedValuesOf('timeZone');

/** A name in thousands of spellings: each bit of the number is the case of a letter. */
const spelled = (name: string, number: number): string =>
  [...name]
    .map((letter, place) => ((number >> place) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');

const cacheNamed = (name: string) => cacheUses().find((cache) => cache.name === name);

/** Every cache that has been filled is at its bound: what was not used for longest has left. */
const full = (name: string) => {
  const use = cacheNamed(name);
  expect(use, name).toBeDefined();
  expect(use?.entries, name).toBe(use?.max);
};

test.each(['+05:31', '-12:00', '+00:01', '0531', 'Moon/Base', 'a'.repeat(31), 'A/B/C/D', '__proto__'])(
  'A time zone named %s is none',
  (name) => {
    expect(timeZoneOf(visit(name))).toBe('UTC');
  },
);

test.each([
  'Europe/Berlin',
  'America/Argentina/Buenos_Aires',
  'America/Port-au-Prince',
  'Etc/GMT+5',
  'EST5EDT',
  'UTC',
])('The time zone %s is one in any spelling', (name) => {
  const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
    expect(timeZoneOf(visit(spelling))).toBe(canonical);
});

test('All time zones that a runtime knows are accepted', () => {
  expect(realZones.filter((zone) => timeZoneOf(visit(zone)) !== zone)).toEqual([]);
});

test('A visitor with thousands of time zones and spellings fills no cache beyond its bound', async () => {
  for (let number = 0; number < 3000; number++) {
    expect(timeZoneOf(visit(spelled('europe/berlin', number)))).toBe('Europe/Berlin');
    timeZoneOf(visit(`Moon/Base_${number}`));
  }
  full('timeZones');
  const draw = async () => pageResponse('page');
  for (const zone of realZones) {
    dayTextOf(Date.UTC(2026, 10, 28), zone);
    for (let day = 1; day < 9; day++) dateRangeIn(new URLSearchParams({ from: `2026-11-0${day}` }), zone);
    const context = new RouterContextProvider();
    context.set(languageContext, 'en');
    await cachedPage({ request: visit(zone), context, params: {} } as never, draw as never);
  }
  for (const name of ['clocksOfZones', 'zoneOffsets', 'pages']) full(name);
});

test('Texts of times in all zones fill no cache beyond its bound', () => {
  const styles: TimeStyle[] = ['short', 'deadline', 'date', 'time'];
  const Times = () => {
    const [time, number] = [useTimeText(), useNumberText()];
    return styles.map((style, place) => time(1e12, style) + number(place, { minimumFractionDigits: place }));
  };
  for (const timeZone of realZones)
    for (const language of languages)
      renderToString(
        <TranslationContext value={translations(language)}>
          <PageContext value={{ user: null, timeZone, imageUrl: '', sites: { steam: '', twitch: '' } }}>
            <Times />
          </PageContext>
        </TranslationContext>,
      );
  full('timeFormats');
  expect(cacheNamed('numberFormats')?.entries).toBeLessThan(20);
});

test('Parts of pages that lead back to thousands of addresses fill no cache beyond its bound', () => {
  const Back = ({ here }: { here: string }) => <a href={here}>back</a>;
  const draw = (here: string) =>
    renderToString(
      <StillContext value={stillMarkup('en')}>
        <Still of={Back} facts={{ here }} />
      </StillContext>,
    );
  const before = cacheNamed('stillParts')?.entries ?? 0;
  expect(draw(`/faq?${'q'.repeat(2000)}`)).toContain('q'.repeat(2000));
  expect(cacheNamed('stillParts')?.entries ?? 0).toBe(before);
  for (let number = 0; number < 3000; number++) expect(draw(`/faq?q=${number}`)).toContain(`q=${number}"`);
  full('stillParts');
});

test('Pictures of thousands of items fill no cache beyond its bound', async () => {
  const none = async () => new Response(null, { status: 404 });
  for (let number = 0; number < 1000; number++) await imageOf(`icon-${10_000 + number}`, none);
  full('itemPictures');
});

test('The networks of one IPv6 customer are counted together before each is remembered', async () => {
  vi.useFakeTimers();
  const admitted = async (number: number) =>
    admitCaller(`2001:db8:7:${number.toString(16)}::/64`).then(
      () => true,
      () => false,
    );
  let count = 0;
  for (let number = 0; number < 20_000; number++) if (await admitted(number)) count += 1;
  expect(count).toBe(12_000);
  await expect(admitCaller('2001:db8:8:1::/64')).resolves.toBeUndefined();
  vi.clearAllTimers();
});

test('The metrics say how full each cache is', async () => {
  timeZoneOf(visit('Europe/Berlin'));
  expect(await registry.metrics()).toMatch(/^keepsake_cache_entries\{cache="timeZones"\} [1-9]/m);
});

/** State held for longer than a request without being a bounded cache, and why no visitor can fill it. */
const heldOtherwise: Record<string, string> = {
  'app/components/icons/icon.tsx drawings': 'one for each icon of ours',
  'app/services/page-response.server.ts documents': 'weak: goes with its response',
  'app/services/share/picture-response.server.ts drawn': 'bounded in bytes',
  'app/services/event-stream.server.ts open': 'open streams, of which each account has few',
  'app/services/event-stream.server.ts rechecks': 'open streams, of which each account has few',
  'app/services/user-stream.server.ts open': 'open streams, of which each account has few',
  'app/services/live-events.server.ts #listeners': 'open streams, of which each account has few',
  'app/services/counted-channels.server.ts #listeners': 'open streams, of which each account has few',
  'app/services/counted-channels.server.ts #counted':
    'channels that open streams show, at most a page for each',
  'app/services/still-markup.server.tsx numbers': 'weak: one for each component of ours',
  'platform/recent-faults.ts #faults': 'the last thirty',
  'platform/bounded-cache.ts caches': 'one for each bounded cache',
  'platform/bounded-cache.ts #entries': 'the bounded cache itself',
  'billing/prices.ts known': 'weak: goes with its client',
  'billing/prices.ts plansOfPrices': 'weak: goes with its client',
  'billing/gather-events.ts gathered': 'signed webhooks of a few milliseconds',
};

test('Nothing else that a process holds grows with what visitors send', () => {
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', 'app', 'billing', 'platform'],
    { encoding: 'utf8' },
  );
  const held = files
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /^(?:(?:export )?(?:const|let)| {2}(?:readonly |static |private )*)\s*(#?\w+)(?:: [^=\n]+)? = new (?:Map|Set|WeakMap)\b(?:<.*>)?\(\)/gm,
        ),
      ].map((match) => `${file} ${match[1]}`),
    );
  expect(held.toSorted()).toEqual(Object.keys(heldOtherwise).toSorted());
});
