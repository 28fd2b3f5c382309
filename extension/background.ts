// The only part that has the token and calls the instance.
import { browser } from './browser.ts';
import { askOffers, askProgress, askReady } from './instance.ts';
import type { Asked, ChannelAnswer } from './messages.ts';
import { permissionsFor, placeFacts, places } from './places.ts';
import { savedInstance, wantedPlaces } from './saved.ts';

/** Shows the number of rewards that are ready, or a sign that something turned on is no longer allowed. */
async function showBadge(ready: number, isSomethingLost: boolean): Promise<void> {
  const { action } = browser();
  await action.setBadgeBackgroundColor({ color: isSomethingLost ? '#a8322a' : '#0f6e62' });
  await action.setBadgeText({ text: isSomethingLost ? '!' : ready > 0 ? String(ready) : '' });
}

/** Registers the scripts of the places that are both wanted and allowed, and no others. */
async function registerScripts(): Promise<boolean> {
  const wanted = await wantedPlaces();
  let isSomethingLost = false;
  for (const place of places) {
    const isAllowed = await browser().permissions.contains(permissionsFor(place));
    if (wanted.includes(place) && !isAllowed) isSomethingLost = true;
    const { scripting } = browser();
    if (!scripting) continue;
    const isThere = (await scripting.getRegisteredContentScripts()).some(({ id }) => id === place);
    const isDue = wanted.includes(place) && isAllowed;
    const { matches, script } = placeFacts[place];
    if (isDue && !isThere)
      await scripting.registerContentScripts([
        { id: place, matches, js: [script], runAt: 'document_end', persistAcrossSessions: true },
      ]);
    if (!isDue && isThere) await scripting.unregisterContentScripts({ ids: [place] });
  }
  return isSomethingLost;
}

/** Changes come in quick succession, and each registration has to see what the last one did. */
let turn: Promise<unknown> = Promise.resolve();
function refresh(): Promise<void> {
  const next = turn.then(async () => {
    const isSomethingLost = await registerScripts();
    const ready = await askReady();
    await showBadge(ready.ok ? ready.value.length : 0, isSomethingLost);
  });
  turn = next.catch(() => undefined);
  return next;
}

async function answerChannel(login: string): Promise<unknown> {
  const [progress, ready, instance] = [await askProgress(login), await askReady(), await savedInstance()];
  if (!progress.ok) return progress;
  const value: ChannelAnswer = { instance, progress: progress.value, ready: ready.ok ? ready.value : [] };
  return { ok: true, value };
}

browser().runtime.onMessage.addListener((message, sender, respond) => {
  if (sender.id !== browser().runtime.id) return false;
  const asked = message as Asked | { ask: 'refresh' };
  const answers = {
    offers: () => askOffers(),
    channel: () => answerChannel('login' in asked ? asked.login : ''),
    refresh: () => refresh(),
  };
  void answers[asked.ask]().then(respond);
  return true;
});
browser().permissions.onAdded.addListener(() => void refresh());
browser().permissions.onRemoved.addListener(() => void refresh());
browser().runtime.onStartup.addListener(() => void refresh());
browser().runtime.onInstalled.addListener(() => void refresh());
// Pages of others cannot reach the token, even through a script of the extension in them.
void browser().storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' });
void refresh();
