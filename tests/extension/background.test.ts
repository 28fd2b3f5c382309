import { beforeEach, expect, test, vi } from 'vitest';

const steam = 'https://steamcommunity.com/*';
const site = 'https://keepsake.example';
/** Steam's other pages get nothing. */
const offerPages = ['id/*/tradeoffers*', 'profiles/*/tradeoffers*', 'tradeoffer/*'].map(
  (page) => `https://steamcommunity.com/${page}`,
);
type Listener = (...values: unknown[]) => unknown;

/** A browser that keeps what the background tells it; the test plays the site, and whoever wakes the extension. */
function openBrowser(stored: Record<string, unknown>) {
  const listeners: Record<string, Listener> = {};
  const on = (name: string) => ({
    addListener(listener: Listener) {
      listeners[name] = listener;
    },
  });
  const badges: string[] = [];
  const calls: string[] = [];
  const scripts: { id: string; matches: string[] }[] = [];
  const changes: string[] = [];
  const allowed: string[] = [];
  const state = { ready: 0, isAway: false };
  const chrome = {
    runtime: {
      id: 'self',
      getURL: (path: string) => `chrome-extension://self/${path}`,
      onMessage: on('message'),
      onStartup: on('startup'),
      onInstalled: on('installed'),
    },
    storage: {
      local: {
        get: async (keys: string[]) => Object.fromEntries(keys.map((key) => [key, stored[key]])),
        set: async (items: object) => void Object.assign(stored, items),
      },
    },
    permissions: {
      contains: async ({ origins = [] }: { origins?: string[] }) =>
        origins.every((each) => allowed.includes(each)),
      onAdded: on('added'),
      onRemoved: on('removed'),
    },
    scripting: {
      getRegisteredContentScripts: async () => structuredClone(scripts),
      registerContentScripts: async (added: typeof scripts) => {
        changes.push('registered');
        scripts.push(...added);
      },
      unregisterContentScripts: async ({ ids }: { ids: string[] }) => {
        changes.push('unregistered');
        for (const id of ids)
          scripts.splice(
            scripts.findIndex((script) => script.id === id),
            1,
          );
      },
    },
    action: {
      setBadgeText: async ({ text }: { text: string }) => void badges.push(text),
      setBadgeBackgroundColor: async () => undefined,
    },
  };
  vi.stubGlobal('chrome', chrome);
  vi.stubGlobal('fetch', async (address: string) => {
    if (state.isAway) throw new TypeError('away');
    calls.push(address.replace(`${site}/api/v1/`, ''));
    const channels = ['7', '8'].slice(0, 1 + state.ready);
    const rowsOf = (attributes: object, ids: string[]) => ({
      data: ids.map((id) => ({ attributes, relationships: { channel: { data: { id } } } })),
      included: [{ type: 'channels', id: '7', attributes: { login: 'ours' } }],
    });
    const reward = { item: { name: 'Knife' }, rule_name: 'Two', claim_until: '2026-11-14T18:40:00.000Z' };
    const rewards = rowsOf(reward, channels.slice(0, state.ready));
    const progress = rowsOf({ rule_name: 'Ten hours', met: false, watch: null }, ['7']);
    return Response.json(address.includes('reward-progress') ? progress : rewards);
  });
  const wake = async () => {
    vi.resetModules();
    await import('#extension/background.ts');
  };
  const send = (message: object, url: string) =>
    new Promise((answer) => {
      if (listeners.message?.(message, { id: 'self', url }, answer) === false) answer('not listeners');
    });
  const settle = () => send({ ask: 'refresh' }, 'chrome-extension://self/panel.html');
  return { listeners, badges, calls, scripts, changes, allowed, site: state, wake, send, settle, stored };
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-14T12:00:00Z'), toFake: ['Date'] });
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});
const signedIn = () => ({ instance: site, token: 'token', name: 'Demo' });
const twitch = 'https://www.twitch.tv/ours';

test('Offers are told to Steam’s pages alone, progress to Twitch’s, and the rest to the extension’s own', async () => {
  const { wake, send } = openBrowser({});
  await wake();
  const silence = { ok: false, why: 'signedOut' };
  expect(await send({ ask: 'offers' }, 'https://steamcommunity.com/tradeoffer/1/')).toEqual(silence);
  expect(await send({ ask: 'channel', login: 'ours' }, twitch)).toEqual(silence);
  for (const [ask, url] of [
    ['offers', twitch],
    ['offers', 'https://steamcommunity.com.example/'],
    ['channel', 'https://steamcommunity.com/'],
    ['refresh', twitch],
    ['else', twitch],
  ] as const)
    expect(await send({ ask }, url)).toBe('not listeners');
});

test('A question that fails is answered', async () => {
  const { wake, send, stored } = openBrowser(signedIn());
  await wake();
  Object.defineProperty(stored, 'token', {
    get() {
      throw new Error('no storage');
    },
  });
  expect(await send({ ask: 'offers' }, 'https://steamcommunity.com/')).toEqual({ ok: false, why: 'odd' });
});

test('The number is counted once in five minutes, and stays while the site is away', async () => {
  const { wake, badges, calls, ...stage } = openBrowser(signedIn());
  stage.stored.countedAt = Date.now() - 299_000;
  await wake();
  await vi.waitFor(() => expect(stage.listeners.message).toBeDefined());
  expect(calls).toEqual([]);
  vi.setSystemTime(Date.now() + 1_000);
  await wake();
  await vi.waitFor(() => expect(badges).toEqual(['']));
  expect(calls).toHaveLength(1);
});

test('A site that is away leaves the number on the icon', async () => {
  const stage = openBrowser(signedIn());
  stage.site.ready = 2;
  await stage.wake();
  await vi.waitFor(() => expect(stage.badges).toEqual(['2']));
  stage.site.isAway = true;
  await stage.settle();
  expect(stage.badges).toEqual(['2']);
});

test('What its user allows is turned on, even if the panel has closed meanwhile', async () => {
  const stage = openBrowser({});
  await stage.wake();
  stage.allowed.push(steam);
  await stage.listeners.added?.({ origins: [steam] });
  expect(stage.stored.wanted).toEqual(['steam']);
  expect(stage.scripts).toMatchObject([{ id: 'steam', matches: offerPages }]);
});

test('A script that an earlier version registered for other pages is registered anew, once', async () => {
  const stage = openBrowser({ wanted: ['steam'] });
  stage.allowed.push(steam);
  stage.scripts.push({ id: 'steam', matches: [steam] });
  await stage.wake();
  await stage.settle();
  expect(stage.scripts).toMatchObject([{ id: 'steam', matches: offerPages }]);
  await stage.settle();
  expect(stage.changes).toEqual(['unregistered', 'registered']);
});

test('Twitch’s tabs share answers, and get what is on their own channel only', async () => {
  const stage = openBrowser(signedIn());
  stage.stored.countedAt = Date.now();
  stage.site.ready = 2;
  await stage.wake();
  const ask = (login: string) => stage.send({ ask: 'channel', login }, `https://www.twitch.tv/${login}`);
  expect(await ask('ours')).toMatchObject({ value: { ready: [{}], progress: [{ ruleName: 'Ten hours' }] } });
  expect(await ask('ours')).toMatchObject({ ok: true });
  expect(await ask('others')).toMatchObject({ value: { ready: [], progress: [] } });
  expect(stage.calls).toEqual([
    'reward-progress?include=channel&page[size]=100',
    'rewards?filter[state]=promised&include=channel&page[size]=100',
  ]);
});
