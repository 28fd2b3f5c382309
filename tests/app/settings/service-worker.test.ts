import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { makePushSubscription } from '#tests/support/push-subscription.ts';

const script = readFileSync('app/routes/site/service-worker-script.js', 'utf8');
const origin = 'https://keepsake.example';

type Handler = (event: object) => unknown;
type Made = ReturnType<typeof makePushSubscription>;

const asBrowserGives = ({ endpoint, p256dh, auth }: Made) => ({
  endpoint,
  toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
});

/** The script among what a browser gives it: a cache, a push manager, windows, and a network that may be away. */
function install({
  language = 'en',
  isOnline = true,
  answers = 204,
  pages = 200,
  permission = 'granted',
} = {}) {
  const handlers: Record<string, Handler> = {};
  const cached = new Map<string, Response>();
  const state = { subscription: null as Made | null, next: null as Made | null, isOnline };
  const sent: { path: string; form: Record<string, string> }[] = [];
  const shown: { title: string; options: { tag?: string; data?: unknown } }[] = [];
  const opened: string[] = [];
  const cache = {
    match: async (key: string) => cached.get(key)?.clone(),
    put: async (key: string, value: Response) => cached.set(key, value),
    delete: async (key: string) => cached.delete(key),
  };
  const pushManager = {
    getSubscription: async () =>
      state.subscription && {
        ...asBrowserGives(state.subscription),
        async unsubscribe() {
          state.subscription = null;
        },
      },
    async subscribe() {
      state.subscription = state.next;
      return state.next && asBrowserGives(state.next);
    },
  };
  const self = {
    addEventListener: (name: string, handler: Handler) => {
      handlers[name] = handler;
    },
    navigator: { language },
    location: { origin },
    registration: {
      pushManager,
      showNotification: async (title: string, options: object) => shown.push({ title, options }),
    },
    clients: { matchAll: async () => [], openWindow: async (url: string) => opened.push(url) },
  };
  const fetch = async (asked: string | object, init?: { body: URLSearchParams }) => {
    if (!state.isOnline) throw new TypeError('the network is away');
    if (typeof asked !== 'string') return new Response('a page', { status: pages });
    sent.push({ path: asked, form: Object.fromEntries(init?.body ?? []) });
    return new Response(null, { status: answers });
  };
  const globals = { self, fetch, Response, URL, URLSearchParams, Notification: { permission } };
  runInNewContext(script.replace('%SERVER_KEY%', 'the key'), {
    ...globals,
    caches: { open: async () => cache },
  });

  /** Lets something happen, and waits until the script is through with it. */
  async function happen(name: string, facts: object = {}): Promise<Response | undefined> {
    const work: unknown[] = [];
    let answer: Promise<Response> | undefined;
    handlers[name]?.({
      waitUntil: (each: unknown) => work.push(each),
      respondWith: (given: Promise<Response>) => {
        answer = given;
      },
      ...facts,
    });
    await Promise.all(work);
    return answer;
  }
  return {
    state,
    sent,
    shown,
    opened,
    happen,
    visit: (facts = {}) =>
      happen('fetch', { request: { method: 'GET', mode: 'navigate', url: `${origin}/settings`, ...facts } }),
    remember: ({ endpoint }: Made) => happen('message', { data: { endpoint } }),
  };
}

test('A subscription that changed is told to the server at the next visit, once', async () => {
  const browser = install();
  const [first, second] = [makePushSubscription(), makePushSubscription()];
  browser.state.subscription = first;
  await browser.remember(first);
  await browser.visit();
  expect(browser.sent).toEqual([]);
  browser.state.subscription = second;
  await browser.visit();
  await browser.visit();
  expect(browser.sent).toEqual([{ path: '/settings/push', form: { ...second, from: first.endpoint } }]);
});

test('An endpoint that the server knows is kept until it says that it knows another', async () => {
  const browser = install();
  const [first, second] = [makePushSubscription(), makePushSubscription()];
  await browser.remember(first);
  // The page subscribed anew; whether the server learnt of it is not known yet.
  await browser.remember(second);
  browser.state.subscription = second;
  await browser.visit();
  expect(browser.sent.map(({ form }) => form.from)).toEqual([first.endpoint]);
});

test('A device that the server does not know is told of once', async () => {
  const browser = install({ answers: 404 });
  await browser.remember(makePushSubscription());
  browser.state.subscription = makePushSubscription();
  await browser.visit();
  await browser.visit();
  expect(browser.sent).toHaveLength(1);
});

test.each([
  ['/auth/signout', 'POST', 200, false],
  ['/auth/signout.data', 'POST', 200, false],
  ['/auth/signout', 'POST', 403, true],
  ['/auth/signout', 'GET', 200, true],
  ['/settings', 'POST', 200, true],
])('After %s by %s with %i the browser is subscribed: %s', async (path, method, pages, isSubscribed) => {
  const browser = install({ pages });
  browser.state.subscription = makePushSubscription();
  await browser.remember(browser.state.subscription);
  await browser.visit({ method, url: origin + path });
  expect(browser.state.subscription !== null).toBe(isSubscribed);
  // Nothing is subscribed anew.
  browser.state.next = makePushSubscription();
  await browser.visit();
  expect(browser.state.subscription !== null).toBe(isSubscribed);
});

test('A subscription that the browser dropped is made anew, and what the server did not take is told again', async () => {
  const browser = install({ answers: 503 });
  const [first, second] = [makePushSubscription(), makePushSubscription()];
  await browser.remember(first);
  browser.state.next = second;
  await browser.visit();
  await browser.visit();
  const form = { ...second, from: first.endpoint };
  expect(browser.sent.map((each) => each.form)).toEqual([form, form]);
});

test('A change that the browser announces is told with the new subscription', async () => {
  const browser = install();
  const [first, second] = [makePushSubscription(), makePushSubscription()];
  await browser.remember(first);
  await browser.happen('pushsubscriptionchange', { newSubscription: asBrowserGives(second) });
  expect(browser.sent.map(({ form }) => form.endpoint)).toEqual([second.endpoint]);
});

test.each([{ permission: 'denied' }, { permission: 'granted' }])(
  'Without a device that was turned on, or without permission, nothing is subscribed: $permission',
  async ({ permission }) => {
    const browser = install({ permission });
    browser.state.next = makePushSubscription();
    if (permission === 'denied') await browser.remember(makePushSubscription());
    await browser.visit();
    expect([browser.sent, browser.state.subscription]).toEqual([[], null]);
  },
);

test.each([
  ['en-GB', 'You are offline'],
  ['ru', 'Нет подключения к сети'],
])(
  'While the network is away, a page in %s stands in for the one that was asked for',
  async (language, title) => {
    const browser = install({ language, isOnline: false });
    const page = await browser.visit();
    expect([page?.status, page?.headers.get('Content-Security-Policy')]).toEqual([
      503,
      "default-src 'none'; style-src 'unsafe-inline'",
    ]);
    expect(await page?.text()).toContain(`<h1>${title}</h1>`);
    // Forms and what pages load are left to the browser.
    expect(await browser.visit({ method: 'POST' })).toBeUndefined();
    expect(await browser.visit({ mode: 'cors' })).toBeUndefined();
  },
);

test('A push is shown as it says, opens its page, and never a page elsewhere', async () => {
  const browser = install();
  const push = (text: string) => browser.happen('push', { data: { json: () => JSON.parse(text) } });
  const navigate = `${origin}/rewards/1/claim`;
  await push(
    JSON.stringify({
      web_push: 8030,
      notification: { title: 'A reward', body: 'Claim it', tag: 'a', navigate },
    }),
  );
  expect(browser.shown).toMatchObject([
    { title: 'A reward', options: { body: 'Claim it', tag: 'a', data: { navigate } } },
  ]);
  await push('no JSON');
  expect(browser.shown.map(({ title }) => title)).toEqual(['A reward', 'Keepsake']);
  for (const address of [navigate, 'https://evil.example/claim'])
    await browser.happen('notificationclick', { notification: { close() {}, data: { navigate: address } } });
  expect(browser.opened).toEqual([navigate, origin]);
});
