import { RouterContextProvider } from 'react-router';
import { expect, test } from 'vitest';
import { askAgain, refuseOutdated } from '#app/http/ask-again.server.ts';
import { verified } from '#app/middleware/guards.server.ts';
import { action as confirmAction } from '#app/routes/account/confirm-identity.tsx';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { action as publicNameAction } from '#app/routes/settings/public-name.ts';
import { database } from '#app/services/database.server.ts';
import { sessions } from '#db/schema/user.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

const { password } = signUpForm();
const guard = verified;

/** Somebody who has just confirmed, and a request of another tab that was sent with the cookie before. */
async function twoTabs() {
  const { visitor } = await member();
  const before = visitor.cookie('keepsake_session') ?? '';
  await confirmedAgo(visitor, 11 * minute);
  const other = new Visitor();
  other.plant('keepsake_session', before);
  const confirm = (by: Visitor) =>
    by.call(confirmAction, '/profile/confirm?to=/settings', { form: { current: password }, guard });
  return { visitor, other, before, confirm };
}

test('A form that was under way is sent again by the browser, with the new cookie, and nothing is carried out before', async () => {
  const { visitor, other, confirm } = await twoTabs();
  await confirm(visitor);
  let calls = 0;
  const counted = () => {
    calls += 1;
    return null;
  };
  const answer = await other.call(counted, '/settings/public-name?a=1', {
    form: { hides_name: 'on' },
    guard,
  });
  expect([answer.status, answer.location, answer.setCookies]).toEqual([307, '/settings/public-name?a=1', []]);
  expect(calls).toBe(0);
  other.plant('keepsake_session', visitor.cookie('keepsake_session') ?? '');
  const again = await other.call(publicNameAction, '/settings/public-name', {
    form: { hides_name: 'on' },
    guard,
  });
  expect([again.location, again.toast]).toEqual(['/settings', 'settings.saved']);
});

test('The data of a page is asked for again at its own address, whatever the router made of the redirect', async () => {
  const context = new RouterContextProvider();
  const request = new Request('http://localhost:3000/profile.data?_routes=x', { method: 'POST' });
  expect(await askAgain(request, context)).toBeNull();
  refuseOutdated(new Request('http://localhost:3000/profile'), context);
  const answer = await askAgain(request, context);
  expect([answer?.status, answer?.headers.get('Location')]).toEqual([307, '/profile.data?_routes=x']);
});

test('A moment later the old token is that of a stranger', async () => {
  const { visitor, other, confirm } = await twoTabs();
  await confirm(visitor);
  await (await database()).transaction((tx) => tx.update(sessions).set({ rotatedAtMs: Date.now() - minute }));
  expect((await other.call(profileLoader, '/profile', { guard })).location).toBe('/auth/signup');
});

test('An answer that comes late sets no session cookie, and so puts no old token back', async () => {
  const { visitor, other } = await twoTabs();
  await (await database()).transaction((tx) =>
    tx.update(sessions).set({ lastSeenAtMs: Date.now() - 2 * hour }),
  );
  const late = await other.call(profileLoader, '/profile', { guard });
  expect([late.status, late.setCookies]).toEqual([200, []]);
  expect((await visitor.call(profileLoader, '/profile', { guard })).status).toBe(200);
});

test('Two tabs that confirm at the same moment both go on, signed in', async () => {
  const { visitor, other, confirm } = await twoTabs();
  const both = await Promise.all([confirm(visitor), confirm(other)]);
  const outcomes = both.map(({ location }) => location);
  for (const location of outcomes) expect(['/settings', '/profile/confirm?to=/settings']).toContain(location);
  expect(outcomes).toContain('/settings');
  const set = both.flatMap(({ setCookies }) =>
    setCookies.filter((line) => line.startsWith('keepsake_session')),
  );
  expect(set).toHaveLength(1);
  expect(set[0]).not.toMatch(/max-age=0/i);
});
