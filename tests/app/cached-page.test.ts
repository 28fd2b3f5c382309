import { RouterContextProvider } from 'react-router';
import { expect, test } from 'vitest';
import { pageResponse } from '#app/http/page-response.server.ts';
import { cachedPage, cachedPageFor } from '#app/middleware/cached-page.server.ts';
import {
  incompleteContext,
  languageContext,
  nonceContext,
  requestIdContext,
  userSummaryContext,
} from '#app/middleware/contexts.server.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment();

interface Visit {
  path?: string;
  cookie?: string;
  language?: 'en' | 'ru';
  isSignedIn?: boolean;
  status?: number;
  isIncomplete?: boolean;
  middleware?: typeof cachedPage;
}

let visits = 0;
let drawings = 0;

/** Requests a page that shows when it was rendered, and its request's nonce and id. */
async function visit({
  path = '/faq',
  cookie = '',
  language = 'en',
  isSignedIn,
  status = 200,
  isIncomplete = false,
  middleware = cachedPage,
}: Visit) {
  const number = ++visits;
  const context = new RouterContextProvider();
  context.set(languageContext, language);
  context.set(nonceContext, `nonce-${number}.`);
  context.set(requestIdContext, `request-${number}.`);
  const user = { name: 'mira', avatarUrl: null, verified: true, readyCount: 0, twitchTrouble: null };
  if (isSignedIn) context.set(userSummaryContext, user);
  const request = new Request(`http://localhost:3000${path}`, { headers: { Cookie: cookie } });
  const draw = async () => {
    drawings += 1;
    context.set(incompleteContext, isIncomplete);
    return pageResponse(`nonce-${number}. request-${number}. nonce-${number}.`, { status });
  };
  const drawnBefore = drawings;
  const answer = (await middleware({ request, context, params: {} } as never, draw as never)) as Response;
  const isOwn = (await answer.text()) === `nonce-${number}. request-${number}. nonce-${number}.`;
  return { isDrawn: drawings > drawnBefore, isOwn, status: answer.status };
}

test('A page for visitors is rendered once, with each request’s own nonce and id', async () => {
  expect(await visit({})).toEqual({ isDrawn: true, isOwn: true, status: 200 });
  expect(await visit({})).toEqual({ isDrawn: false, isOwn: true, status: 200 });
});

test('A page with a part that could not be loaded is not served again', async () => {
  expect(await visit({ path: '/cookie_policy', isIncomplete: true })).toMatchObject({ isDrawn: true });
  expect(await visit({ path: '/cookie_policy' })).toMatchObject({ isDrawn: true });
  expect(await visit({ path: '/cookie_policy' })).toMatchObject({ isDrawn: false });
});

test.each<Visit>([
  { path: '/terms_of_service' },
  { language: 'ru' },
  { cookie: 'keepsake_time_zone=Europe%2FBerlin' },
])('A separate page is rendered and cached for %o', async (other) => {
  expect(await visit(other)).toMatchObject({ isDrawn: true, isOwn: true });
  expect(await visit(other)).toMatchObject({ isDrawn: false, isOwn: true });
});

test.each<Visit>([
  { isSignedIn: true },
  { cookie: 'keepsake_toast=waiting' },
  { path: '/faq?from=somewhere' },
  { path: '/faq.data' },
  { path: '/missing', status: 404 },
])('A page for %o is rendered every time', async (own) => {
  expect(await visit(own)).toMatchObject({ isDrawn: true, isOwn: true });
  expect(await visit(own)).toMatchObject({ isDrawn: true, isOwn: true });
  // It is not shown to anybody else either.
  expect(await visit({})).toMatchObject({ isOwn: true });
});

test('A page with an age is rendered again once it is that old', async () => {
  let now = 0;
  const forMinute = { path: '/', middleware: cachedPageFor(60_000, () => now) };
  expect(await visit(forMinute)).toMatchObject({ isDrawn: true, isOwn: true });
  now = 59_999;
  expect(await visit(forMinute)).toMatchObject({ isDrawn: false, isOwn: true });
  now = 60_000;
  expect(await visit(forMinute)).toMatchObject({ isDrawn: true, isOwn: true });
  now = 119_999;
  expect(await visit(forMinute)).toMatchObject({ isDrawn: false, isOwn: true });
});
