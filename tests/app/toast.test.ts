import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { Flash, Toasts } from '#app/components/feedback/toasts.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { autoCloseMs } from '#app/islands/plain-toast.ts';
import { ru } from '#app/locales/ru.ts';
import { putToast, redirectWithToast, takeToast } from '#app/services/toast.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment();

function visit(cookie: string) {
  return new Request('http://localhost:3000/', { headers: { Cookie: cookie.split(';')[0] ?? '' } });
}

test('a message is shown on the next page, once', async () => {
  const cookie = await putToast({ type: 'success', title: 'messages.ruleCreated' });
  const taken = await takeToast(visit(cookie));
  expect(taken?.toast).toMatchObject({ type: 'success', title: 'messages.ruleCreated', autoClose: true });
  expect(taken?.setCookie).toContain('Max-Age=0');
  expect(await takeToast(visit(taken?.setCookie ?? ''))).toBeNull();
});

test('a message that scripts have read is repeated for a reload under way, and soon no more', async () => {
  const asked = visit(await putToast({ type: 'success', title: 'messages.ruleCreated' }));
  asked.headers.set('Sec-Fetch-Dest', 'empty');
  const taken = await takeToast(asked);
  const { toast: repeated } = (await takeToast(visit(taken?.setCookie ?? ''))) ?? {};
  expect(repeated).toEqual(taken?.toast);
  expect(taken?.setCookie).toContain('Max-Age=3;');
});

test('its id is below 9999, and an error stays until it is closed', async () => {
  const taken = await takeToast(visit(await putToast({ type: 'danger', title: 'errors.common.unexpected' })));
  expect(taken?.toast.id).toBeLessThan(9999);
  expect(taken?.toast.autoClose).toBe(false);
});

test('a message that was not signed here is not shown', async () => {
  const cookie = await putToast({ type: 'success', title: 'messages.ruleCreated' });
  const [name, value = ''] = (cookie.split(';')[0] ?? '').split('=');
  const forged = btoa(JSON.stringify({ id: 1, type: 'danger', title: 'x', autoClose: false }));
  expect(await takeToast(visit(`${name}=${encodeURIComponent(forged)}`))).toBeNull();
  expect(await takeToast(visit(`${name}=${value.slice(0, -4)}AAAA`))).toBeNull();
});

test('a redirect carries it along', async () => {
  const response = await redirectWithToast('/rules', { type: 'success', title: 'messages.ruleDeleted' });
  expect(response.headers.get('Location')).toBe('/rules');
  expect(response.headers.get('Set-Cookie')).toMatch(/^keepsake_toast=.*HttpOnly; SameSite=Lax/);
});

test('Ids are whole numbers from 0 to 9998', async () => {
  const random = vi.spyOn(Math, 'random');
  for (const [drawn, expected] of [
    [0, 0],
    [0.5, 4999],
    [0.999999, 9998],
  ] as const) {
    random.mockReturnValueOnce(drawn);
    const taken = await takeToast(visit(await putToast({ type: 'info', title: 'messages.ruleCreated' })));
    expect(taken?.toast.id).toBe(expected);
  }
  random.mockRestore();
});

test.each([
  ['success', true],
  ['info', false],
  ['warning', false],
  ['danger', false],
] as const)('Whether a message of kind %s closes automatically: %s', async (type, autoClose) => {
  const taken = await takeToast(visit(await putToast({ type, title: 'messages.messageSent' })));
  expect(taken?.toast).toMatchObject({ type, autoClose });
});

test('A message of an unknown kind or with an invalid id is not shown', async () => {
  const message = { type: 'success', title: 'messages.ruleCreated' } as const;
  expect(await takeToast(visit(await putToast({ ...message, type: 'loud' as never })))).toBeNull();
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(1);
  expect(await takeToast(visit(await putToast(message)))).toBeNull();
  random.mockRestore();
});

test('The live regions for screen readers exist before any message', () => {
  const html = renderToString(
    createElement(TranslationContext, { value: translations('en') }, createElement(Toasts, { toast: null })),
  );
  expect(html).toContain('aria-label="Notifications"');
  expect(html).toMatch(/aria-live="polite"[^>]*><\/div><div[^>]*aria-live="assertive"[^>]*><\/div>/);
  expect(autoCloseMs).toBe(3000);
});

test('Without JavaScript the message is at the top of the page, in the page’s language', () => {
  const toast = { id: 1, type: 'success', title: 'messages.ruleCreated', autoClose: true } as const;
  const html = renderToString(
    createElement(TranslationContext, { value: translations('ru') }, createElement(Flash, { toast })),
  );
  expect(html).toMatch(/^<noscript>.*<\/noscript>$/s);
  expect(html).toContain(ru.messages.ruleCreated);
});
