import { expect, test } from 'vitest';
import { putToast, redirectWithToast, takeToast } from '#app/services/toast.server.ts';
import { setWebEnvironment } from './support/web-environment.ts';

setWebEnvironment();

function visit(cookie: string) {
  return new Request('http://localhost:3000/', { headers: { Cookie: cookie.split(';')[0] ?? '' } });
}

test('a message waits for the next page and is then gone', async () => {
  const cookie = await putToast({ type: 'success', title: 'messages.ruleCreated' });
  const taken = await takeToast(visit(cookie));
  expect(taken?.toast).toMatchObject({ type: 'success', title: 'messages.ruleCreated', autoClose: true });
  expect(taken?.setCookie).toContain('Max-Age=0');
  expect(await takeToast(visit(taken?.setCookie ?? ''))).toBeNull();
});

test('its number is below 9999, and bad news stays until it is closed', async () => {
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
