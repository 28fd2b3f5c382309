// Runs beside the pages: it shows notices, and a page of its own when the network is away. It keeps no page and no data of
// an account, so that nothing of one is left after signing out; only the endpoint that was last told to the server.
const SERVER_KEY = '%SERVER_KEY%';
const KEPT = '/kept-endpoint';

const words = {
  en: {
    title: 'You are offline',
    text: 'Keepsake shows only what is true right now, so it needs the network. Your rewards are not affected.',
    again: 'Try again',
  },
  ru: {
    title: 'Нет подключения к сети',
    text: 'Keepsake показывает только то, что верно прямо сейчас, поэтому без сети не обойтись. С наградами ничего не случится.',
    again: 'Попробовать ещё раз',
  },
};

function offlinePage() {
  const language = self.navigator.language.startsWith('ru') ? 'ru' : 'en';
  const { title, text, again } = words[language];
  const page = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>:root{color-scheme:dark light}body{max-width:32rem;margin:20vh auto 0;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}a{color:inherit}</style><h1>${title}</h1><p>${text}</p><p><a href="">${again}</a></p></html>`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  };
  return new Response(page, { status: 503, headers });
}

/** The endpoint that the server knows of this browser; null if it is to know none. */
async function keptEndpoint() {
  const answer = await (await caches.open('push')).match(KEPT);
  return answer ? answer.text() : null;
}

const keepEndpoint = async (endpoint) => (await caches.open('push')).put(KEPT, new Response(endpoint));

const forgetEndpoint = async () => (await caches.open('push')).delete(KEPT);

/** Ends the subscription, so that nothing arrives that the push service took before. */
async function unsubscribe() {
  await forgetEndpoint();
  await (await self.registration.pushManager.getSubscription())?.unsubscribe();
}

const formOf = (subscription, from) => {
  const { endpoint, keys } = subscription.toJSON();
  return new URLSearchParams({ endpoint, p256dh: keys.p256dh, auth: keys.auth, from });
};

/** Tells the server of the subscription that took the place of the one it knows. */
async function renew(changed) {
  const from = await keptEndpoint();
  if (from === null || Notification.permission !== 'granted' || SERVER_KEY === '') return;
  const { pushManager } = self.registration;
  const options = { userVisibleOnly: true, applicationServerKey: SERVER_KEY };
  const subscription =
    changed ?? (await pushManager.getSubscription()) ?? (await pushManager.subscribe(options));
  if (subscription.endpoint === from) return;
  const answer = await fetch('/settings/push', {
    method: 'POST',
    body: formOf(subscription, from),
    redirect: 'manual',
  });
  if (answer.ok) await keepEndpoint(subscription.endpoint);
  else if (answer.status === 404) await forgetEndpoint();
}

/**
 * Keeps the endpoint of a browser that is about to be turned on. One that the server knows is left: the next visit
 * replaces it, once the server says that it knows the other.
 */
async function keepFirst(endpoint) {
  if ((await keptEndpoint()) === null) await keepEndpoint(endpoint);
}

const settled = (work) => work.catch(() => {});

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  if (method === 'POST' && /^\/auth\/signout(\.data)?$/.test(new URL(url).pathname)) {
    const answer = fetch(event.request);
    event.respondWith(answer);
    // Pages see no redirect of a form; to the worker it is one that it may not follow.
    const signedOut = ({ ok, type }) => (ok || type === 'opaqueredirect' ? unsubscribe() : undefined);
    event.waitUntil(settled(answer.then(signedOut)));
    return;
  }
  if (mode !== 'navigate' || method !== 'GET') return;
  event.respondWith(fetch(event.request).catch(offlinePage));
  event.waitUntil(settled(renew()));
});

self.addEventListener('message', (event) => {
  const { endpoint } = event.data ?? {};
  if (typeof endpoint === 'string') event.waitUntil(settled(keepFirst(endpoint)));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(settled(renew(event.newSubscription)));
});

/** The payload is a declarative one; browsers that know those show it without asking here. */
function noticeIn(data) {
  try {
    return data.json().notification;
  } catch {
    // A browser withdraws the permission of a site whose pushes show nothing.
    return { title: 'Keepsake', navigate: '/rewardProgress' };
  }
}

self.addEventListener('push', (event) => {
  const { title, navigate, ...options } = noticeIn(event.data);
  event.waitUntil(
    self.registration.showNotification(title, {
      ...options,
      icon: '/icon-192.png',
      badge: '/icon-192.png',
      data: { navigate },
    }),
  );
});

async function open(address) {
  const url = new URL(address, self.location.origin);
  const target = url.origin === self.location.origin ? url.href : self.location.origin;
  const pages = await self.clients.matchAll({ type: 'window' });
  const same = pages.find((page) => page.url === target);
  return same ? same.focus() : self.clients.openWindow(target);
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.navigate ?? '/'));
});
