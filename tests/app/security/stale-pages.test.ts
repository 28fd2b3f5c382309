import { afterAll, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { resumeSending } from '#domain/bot/stop-sending.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { minute } from '#domain/kernel/time.ts';
import { asset } from '#tests/support/fixtures.ts';
import { type Asked, askedByPages } from '../support/asked-for-proof.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { honestForms, operatorAddress } from '../support/honest-forms.ts';
import { idIn, ownerOfAll } from '../support/owner.ts';
import { type RouteModule, routeModules } from '../support/route-modules.ts';
import { setSellingWeb } from '../support/selling.ts';
import { changes, stored } from '../support/stored.ts';
import type { Visitor } from '../support/visitor.ts';

const bot = await startFakeBot();
const closeStripe = await setSellingWeb({ BOT_URL: bot.url, OPERATOR_ACCOUNT: operatorAddress });
afterAll(() => Promise.all([bot.stop(), closeStripe()]));

const routes = await routeModules();
const acting = Object.entries(askedByPages).map(([path, asked]) => {
  const route = routes.find((each) => each.path === path);
  return [path, asked, route as RouteModule] as const;
});

test('Every form says whether it asks for a proof', () => {
  expect(Object.keys(askedByPages).sort()).toEqual(Object.keys(honestForms).sort());
});

async function userIn(visitor: Visitor): Promise<string | null> {
  if (!visitor.cookie('keepsake_session')) return null;
  const found = await findSession(await database(), { token: visitor.sessionToken() }, Date.now());
  return found?.userId ?? null;
}

/** A valid form of somebody whose proof is this old. */
async function send({ path, action, guards }: RouteModule, asked: Asked, ageMs: number) {
  const owner = await ownerOfAll();
  bot.inventories.set(owner.steamId, [{ ...asset(owner.kind.marketHashName), tradable: true }]);
  const { form = {}, by = owner.visitor } = (await honestForms[path]?.(owner)) ?? {};
  const userId = await userIn(by);
  if (userId !== null) await confirmedAgo(by, ageMs);
  if (typeof asked === 'object' && userId !== null) await asked.make(userId);
  const id = idIn(path, owner);
  const [guard] = guards;
  const before = await stored();
  const sent = { form, params: { id }, ...(guard && { guard }) };
  const { location } = await by.call(action as never, path.replace(':id', id), sent);
  const changed = changes(before, await stored(), new Map(), Date.now());
  // The next owner's items need bots that send.
  await resumeSending(await database(), { operatorId: 'nobody' }, { nowMs: Date.now(), systemMs: 0 });
  return { isAsked: location?.startsWith('/profile/confirm?') ?? false, changed };
}

test.each(acting.filter(([, asked]) => asked !== 'never'))(
  'A session that was confirmed eleven minutes ago cannot send %s',
  async (_, asked, route) => {
    expect(await send(route, asked, 11 * minute)).toEqual({ isAsked: true, changed: [] });
    const { isAsked } = await send(route, asked, 9 * minute);
    expect(isAsked).toBe(false);
  },
);

test.each(acting.filter(([, asked]) => asked === 'never'))(
  '%s asks for no proof',
  async (_, asked, route) => {
    expect((await send(route, asked, 11 * minute)).isAsked).toBe(false);
  },
);
