import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { renderToString } from 'react-dom/server';
import { RouterContextProvider } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { admitCaller } from '#app/api/limits.server.ts';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { type TimeStyle, useTimeText } from '#app/components/text/local-time.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { registry } from '#app/http/metrics.server.ts';
import { pageResponse } from '#app/http/page-response.server.ts';
import { languages } from '#app/locales/languages.ts';
import { cachedPage } from '#app/middleware/cached-page.server.ts';
import { languageContext } from '#app/middleware/contexts.server.ts';
import { dateRangeIn, dayTextOf } from '#app/services/forms/date-range.server.ts';
import { timeZoneOf } from '#app/services/preferences.server.ts';
import { imageOf } from '#app/services/share/item-images.server.ts';
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

/** Every cache that has been filled is at its bound: the least recently used entries have left. */
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
          <PageContext
            value={{
              user: null,
              timeZone,
              nowMs: null,
              imageUrl: '',
              appliedImageUrl: '',
              sites: { steam: '', twitch: '' },
            }}
          >
            <Times />
          </PageContext>
        </TranslationContext>,
      );
  full('timeFormats');
  expect(cacheNamed('numberFormats')?.entries).toBeLessThan(20);
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
  'app/http/page-response.server.ts documents': 'weak: goes with its response',
  'app/services/share/picture-response.server.ts drawn': 'bounded in bytes',
  'app/http/event-stream.server.ts open': 'open streams, of which each account has few',
  'app/http/event-stream.server.ts visited': 'open streams, of which each account has few',
  'app/http/stream-shares.server.ts #sharers': 'open streams, of which each account has few',
  'app/services/live-events.server.ts #listeners': 'open streams, of which each account has few',
  'app/services/bot-presence.server.ts #listeners': 'open streams, of which each account has few',
  'app/services/channels/counted-channels.server.ts #pages': 'open streams, of which each account has few',
  'app/services/channels/counted-channels.server.ts #known':
    'the live channels that open pages show, replaced at each look',
  'app/services/overlay/overlay-show.server.ts #pages': 'open streams, of which each account has few',
  'app/services/overlay/overlay-shows.server.ts shows': 'streamers whose overlays are open',
  'app/services/overlay/overlay-shows.server.ts counted':
    'the channels of open overlays, replaced at each look',
  'app/services/overlay/notice-json.server.ts written': 'weak: each entry goes with its notice',
  'app/services/overlay/together.server.ts waiting': 'what comes within a pause; 2,000 after a failure',
  'app/services/overlay/viewer-turns.server.ts #waiting': 'open overlays, each once',
  'app/overlay/overlay.ts #places': 'in a browser: one for each place',
  'app/overlay/overlay.ts #standing': 'in a browser: one for each piece',
  'app/overlay/stream.ts #sources': 'in a browser: its own pages',
  'app/overlay/stream.ts #known': 'in a browser: its own pages',
  'app/overlay/stream.ts #seen': 'in a browser: the last five hundred',
  'app/api/shared-calls.server.ts #unshared':
    'callers with more than sixty calls, until they are shared a second later',
  'platform/recent-faults.ts #faults': 'the last thirty',
  'platform/answers/answer-watch.ts #waiting': 'at most fifty of a platform until they are stored',
  'platform/bounded-cache.ts caches': 'one for each bounded cache',
  'platform/bounded-cache.ts #entries': 'the bounded cache itself',
  'billing/prices.ts known': 'weak: goes with its client',
  'billing/prices.ts plansOfPrices': 'weak: goes with its client',
  'billing/gather-events.ts gathered': 'signed webhooks of a few milliseconds',
};

/** The same for the bot and the store, by reason: what stands in a module, a class, or the outermost lines of a function. */
const heldByBot: Record<string, readonly string[]> = {
  'ends with its call': [
    'bot/steam/transfers/arrivals.ts dates',
    'bot/steam/transfers/arrivals.ts taken',
    'bot/steam/transfers/resolve-uncertain.ts shown',
    'bot/steam/transfers/self-test.ts found',
    'bot/steam/transfers/self-test.ts here',
    'bot/steam/transfers/unknown-assets.ts assigned',
    'bot/twitch/channel/chatter-watcher.ts bots',
    'bot/twitch/channel/chatter-watcher.ts viewers',
    'bot/twitch/chat/plan-chats.ts byEvents',
    'bot/twitch/chat/plan-chats.ts refused',
    'bot/twitch/chat/share-channels.ts before',
    'bot/twitch/chat/share-channels.ts shared',
    'bot/twitch/points/redemption-poller.ts grouped',
    'bot/twitch/points/redemption-settler.ts groups',
    'db/engine/move-to-postgres.ts sent',
    'db/engine/move-to-postgres.ts tables',
  ],
  'bounded in number or in age': [
    'bot/commands/cooldowns.ts readyAtMs',
    'bot/account-shares.ts #fullAtMs',
    'bot/steam/inventory-reader.ts #cache',
    'bot/steam/transfers/check-claims.ts verdicts',
    'bot/twitch/chat/chat-voice.ts seen',
    'bot/twitch/chat/said-lines.ts waiting',
    'bot/twitch/events/event-dispatcher.ts sent',
    'db/engine/cache-statements.ts prepared',
    'bot/twitch/points/refused-words.ts refused',
  ],
  'what is under way or waits, removed when it ends': [
    'bot/push/send-pushes.ts running',
    'bot/end-all.ts #waiting',
    'bot/mail/mailer.ts ends',
    'bot/commands/last-lines.ts chats',
    'bot/changes.ts listeners',
    'bot/commands/answer-chat.ts underWay',
    'bot/commands/gather-questions.ts waiting',
    'bot/steam/fair-queue.ts #byAccount',
    'bot/steam/inventory-reader.ts #pending',
    'bot/twitch/channel/channel-turns.ts underWay',
    'bot/twitch/channel/chatter-watcher.ts reading',
    'bot/twitch/chat/chat-account.ts held',
    'bot/twitch/chat/chat-faults.ts timers',
    'bot/twitch/chat/message-queue.ts underWay',
    'bot/twitch/chat/start-chat.ts #underWay',
    'bot/twitch/events/event-by-sockets.ts timers',
    'bot/twitch/events/event-dispatcher.ts queues',
    'bot/twitch/events/event-socket.ts sockets',
    'bot/twitch/grants/grant-keeper.ts underWay',
    'bot/twitch/grants/twitch-access.ts checks',
    'bot/twitch/points/custom-reward-keeper.ts underWay',
    'bot/twitch/points/custom-reward-keeper.ts untraced',
    'db/engine/foreign-commits.ts ignored',
  ],
  'each round leaves only what still exists': [
    'bot/commands/gather-entries.ts awaited',
    'bot/commands/gather-entries.ts announcedElsewhere',
    'bot/twitch/channel/audience-counter.ts countings',
    'bot/twitch/channel/channel-turns.ts pauses',
    'bot/steam/transfers/confirm-offers.ts attempts',
    'bot/steam/transfers/follow-offers.ts pushed',
    'bot/steam/transfers/follow-offers.ts unread',
    'bot/steam/transfers/reconcile-inventory.ts absentSinceMs',
    'bot/steam/transfers/polls.ts #interrupted',
    'bot/steam/transfers/polls.ts #polledAtMs',
    'bot/steam/transfers/self-test.ts suspects',
    'bot/steam/transfers/settle-trades.ts checkedAtMs',
    'bot/twitch/channel/follow-reader.ts readings',
    'bot/twitch/channel/gather-readings.ts remembered',
    'bot/commands/announce-promises.ts resting',
    'bot/twitch/channel/cursors.ts known',
    'bot/twitch/chat/shared-holds.ts pauses',
    'bot/twitch/channel/viewer-questions.ts known',
    'bot/slots.ts #held',
    'bot/twitch/channel/presence.ts #counts',
    'bot/twitch/channel/presence.ts #rooms',
    'bot/twitch/channel/read-broadcasters.ts typed',
    'bot/twitch/channel/subscriber-reader.ts readings',
    'bot/twitch/channel/survey-channels.ts known',
    'bot/twitch/chat/event-chat.ts idOf',
    'bot/twitch/chat/event-chat.ts rooms',
    'bot/twitch/chat/join-queue.ts #joinRequestedAtMs',
    'bot/twitch/chat/join-queue.ts #joined',
    'bot/twitch/chat/join-queue.ts #shutUntilMs',
    'bot/twitch/chat/join-queue.ts #wanted',
    'bot/twitch/events/event-by-conduit.ts wanted',
    'bot/twitch/events/event-by-sockets.ts sockets',
    'bot/twitch/events/event-subscriptions.ts #broken',
    'bot/twitch/events/event-subscriptions.ts #made',
    'bot/twitch/points/custom-reward-keeper.ts restUntilMs',
    'bot/twitch/points/redemption-poller.ts failures',
    'bot/twitch/points/redemption-poller.ts waits',
    'bot/twitch/points/unread-queues.ts held',
    'bot/twitch/points/unread-queues.ts read',
  ],
  'one for each channel that was connected since the start, or for each of the few kinds of calls about it': [
    'bot/twitch/api.ts clients',
    'bot/twitch/channel/cursor-steps.ts leaving',
    'bot/twitch/channel/cursor-steps.ts owedMs',
    'bot/twitch/channel/read-troubles.ts troubles',
    'bot/twitch/channel/stream-tracker.ts current',
    'bot/twitch/channel/stream-tracker.ts lastEvents',
    'bot/twitch/channel/stream-tracker.ts missed',
    'bot/twitch/channel/stream-tracker.ts queues',
    'bot/twitch/channel/sweep-hourly.ts dueAtMs',
    'bot/twitch/chat/chat-faults.ts recorded',
    'bot/twitch/chat/chat-faults.ts refusedAtMs',
    'bot/twitch/chat/chat-session.ts roles',
    'bot/twitch/chat/chat-voice.ts silences',
    'bot/twitch/chat/event-chat.ts roles',
    'bot/twitch/events/event-by-sockets.ts made',
    'bot/twitch/events/event-by-sockets.ts retryAtMs',
    'bot/twitch/events/event-subscriptions.ts refused',
    'bot/twitch/grants/database-auth-provider.ts #scopes',
    'bot/twitch/grants/refusals.ts sinceMs',
    'bot/twitch/points/unread-queues.ts misses',
  ],
  'grows by what only platforms or streamers cause, a few bytes each: a trade in trouble, a failed rule, a closed account, a lost session':
    [
      'bot/steam/steam-bot.ts #refusedTokens',
      'bot/steam/transfers/patience.ts #pauses',
      'bot/steam/transfers/patience.ts #sinceMs',
      'bot/twitch/channel/read-names.ts unseen',
      'bot/twitch/points/custom-reward-keeper.ts failures',
      'bot/twitch/points/custom-reward-keeper.ts lastSeen',
    ],
  'one for each game and context that a bot holds items of': [
    'bot/steam/transfers/own-inventory.ts #readings',
  ],
  'weak: goes with its connection': [
    'db/engine/pooled-transactions.ts handles',
    'db/engine/sent-writes.ts open',
    'db/statement.ts built',
  ],
};

/** Names of what is made at the start of a line, or in a class; `outermost` also of what stands in functions. */
function heldIn(rooms: readonly string[], { outermost }: { outermost: boolean }): string[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...rooms], {
    encoding: 'utf8',
  });
  const inClass = outermost ? 'readonly |static |private |const |let ' : 'readonly |static |private ';
  const made = new RegExp(
    `^(?:(?:export )?(?:const|let)| {2}(?:${inClass})*)\\s*(#?\\w+)(?:: [^=\\n]+)? = new (?:Map|Set|WeakMap)\\b(?:<.*>)?\\(\\)`,
    'gm',
  );
  const held = files
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(made)].map((match) => `${file} ${match[1]}`));
  return [...new Set(held)].toSorted();
}

test('Nothing else that the web process holds grows with what visitors send', () => {
  expect(heldIn(['app', 'billing', 'platform'], { outermost: false })).toEqual(
    Object.keys(heldOtherwise).toSorted(),
  );
});

test('Whatever the bot and the store hold has its reason', () => {
  expect(heldIn(['bot', 'db'], { outermost: true })).toEqual(Object.values(heldByBot).flat().toSorted());
  expect(heldIn(['domain'], { outermost: false })).toEqual([
    // Of a caller that remembers nothing.
    'domain/audience/accrue-watch-time.ts remembered',
    // Counted anew for each round of offers.
    'domain/transfer/open-offers.ts #byPartner',
  ]);
});
