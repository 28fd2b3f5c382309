// The only part that has the token and calls the instance.
import type { Answered } from './answers.ts';
import { browser } from './browser.ts';
import { askOffers, askProgress, askReady } from './instance.ts';
import type { Asked, ChannelAnswer } from './messages.ts';
import { type Place, permissionsFor, placeFacts, places } from './places.ts';
import { saveCountedAt, savedCountedAt, savedInstance, wantedPlaces, wantPlace } from './saved.ts';

/** The number on the icon is counted anew after this time, if something wakes the extension. */
const COUNTED_FOR_MS = 300_000;
/** Tabs of Twitch share what the site answered within this time. */
const SHARED_FOR_MS = 50_000;

/**
 * Pages that get a place's script, where those are not all of it: Steam's others are left alone. In this order Chromium says
 * for what a script is registered.
 */
const offerPages = ['id/*/tradeoffers*', 'profiles/*/tradeoffers*', 'tradeoffer/*'];
const pagesOf = (place: Place): string[] =>
  placeFacts[place].matches.flatMap((all) =>
    place === 'steam' ? offerPages.map((page) => all.replace('*', page)) : all,
  );

async function showBadge(text: string, isLost = false): Promise<void> {
  const { action } = browser();
  await action.setBadgeBackgroundColor({ color: isLost ? '#a8322a' : '#0f6e62' });
  await action.setBadgeText({ text });
}

/** Counts the rewards that are ready. A site that does not answer leaves the number as it was. */
async function count(): Promise<void> {
  const ready = await askReady();
  const isOut = !ready.ok && (ready.why === 'signedOut' || ready.why === 'revoked');
  if (!ready.ok && !isOut) return;
  const [first, ...others] = ready.ok ? ready.value : [];
  await showBadge(first ? String(1 + others.length) : '');
  await saveCountedAt(Date.now());
}

/** Registers the scripts of the places that are both wanted and allowed, and no others, nor for other pages. */
async function registerScripts(): Promise<boolean> {
  const wanted = await wantedPlaces();
  let isSomethingLost = false;
  for (const place of places) {
    const isAllowed = await browser().permissions.contains(permissionsFor(place));
    if (wanted.includes(place) && !isAllowed) isSomethingLost = true;
    const { scripting } = browser();
    if (!scripting) continue;
    const there = (await scripting.getRegisteredContentScripts()).find(({ id }) => id === place);
    const matches = wanted.includes(place) && isAllowed ? pagesOf(place) : [];
    if (String(there?.matches ?? '') === String(matches)) continue;
    if (there) await scripting.unregisterContentScripts({ ids: [place] });
    if (matches[0])
      await scripting.registerContentScripts([
        {
          id: place,
          matches,
          js: [placeFacts[place].script],
          runAt: 'document_idle',
          persistAcrossSessions: true,
        },
      ]);
  }
  return isSomethingLost;
}

/**
 * Changes come in quick succession, and each registration has to see what the last one did. The icon shows a sign instead of
 * its number while something that was turned on is no longer allowed.
 */
let turn: Promise<unknown> = Promise.resolve();
function refresh(hasChanged = true): Promise<void> {
  if (hasChanged) shared = null;
  const next = turn.then(async () => {
    if (await registerScripts()) return showBadge('!', true);
    const age = Date.now() - (await savedCountedAt());
    if (hasChanged || age < 0 || age >= COUNTED_FOR_MS) await count();
  });
  turn = next.catch(() => undefined);
  return next;
}

type Shared = [Awaited<ReturnType<typeof askProgress>>, Awaited<ReturnType<typeof askReady>>];
let shared: { at: number; answer: Promise<Shared> } | null = null;

/** Progress and rewards on a channel; nothing on one that is none of the site's. */
async function answerChannel(login: string): Promise<Answered<ChannelAnswer>> {
  if (!shared || Date.now() - shared.at >= SHARED_FOR_MS)
    shared = { at: Date.now(), answer: Promise.all([askProgress(), askReady()]) };
  const [progress, ready] = await shared.answer;
  if (!progress.ok) return progress;
  if (!ready.ok) return ready;
  const isHere = (each: { login: string }) => each.login === login;
  const value = { progress: progress.value.filter(isHere), ready: ready.value.filter(isHere) };
  return { ok: true, value: { ...value, instance: await savedInstance() } };
}

const answers = {
  offers: askOffers,
  channel: (asked: object) => answerChannel('login' in asked ? String(asked.login) : ''),
  refresh: () => refresh(),
};

/** Returns whether a question comes from a page that may ask it: the extension's own ones, or that of a place. */
function mayAsk(ask: keyof typeof answers, url = ''): boolean {
  const origins = {
    offers: placeFacts.steam.matches,
    channel: placeFacts.twitch.matches,
    refresh: [browser().runtime.getURL('*')],
  };
  return origins[ask]?.some((match) => url.startsWith(match.slice(0, -1))) ?? false;
}

browser().runtime.onMessage.addListener((message, sender, respond) => {
  const asked = message as Asked | { ask: 'refresh' };
  if (sender.id !== browser().runtime.id || !mayAsk(asked.ask, sender.url)) return false;
  answers[asked.ask](asked).then(respond, () => respond({ ok: false, why: 'odd' }));
  return true;
});
// The question for a permission closes the panel of some browsers, so what its user turned on is noted here.
browser().permissions.onAdded.addListener(async ({ origins = [] }) => {
  for (const place of places)
    if (placeFacts[place].matches.every((match) => origins.includes(match))) await wantPlace(place, true);
  await refresh();
});
browser().permissions.onRemoved.addListener(() => void refresh());
browser().runtime.onStartup.addListener(() => void refresh());
browser().runtime.onInstalled.addListener(() => void refresh());
// Pages of others cannot reach the token, even through a script of the extension in them.
void browser().storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' });
void refresh(false);
