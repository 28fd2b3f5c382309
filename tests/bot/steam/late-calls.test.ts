import { expect, test, vi } from 'vitest';
import { createLimiters, type Limiters } from '#bot/steam/limiters.ts';
import { LiveAccount } from '#bot/steam/live-account.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';
import { hurriedPace } from '#tests/support/steam-stage.ts';

test.each([
  ['is made while the lease is held', true],
  ['is not made if the lease ended while it waited for its turn', false],
])('A call to Steam %s', async (_, isHeldLater) => {
  let isHeld = true;
  const webApi: Limiters['webApi'] = {
    async take(task) {
      isHeld = isHeldLater;
      return { value: await task() };
    },
    refuseVisitors() {},
  };
  const contain = vi.fn(async () => {
    throw new Error('Steam does not answer');
  });
  const session = { isReady: true, contain, clients: {}, webSessionLost() {} } as unknown as SteamSession;
  const account = new LiveAccount({
    botId: 'bot-1',
    steamId: '76561198000000009',
    identitySecret: 'c2VjcmV0',
    session,
    limiters: { ...createLimiters(hurriedPace.services), webApi },
    mayCall: () => isHeld,
  });
  const answer = await account.profile();
  expect(answer).toMatchObject({ ok: false, ...(!isHeldLater && { detail: 'the lease ended' }) });
  expect(contain).toHaveBeenCalledTimes(isHeldLater ? 1 : 0);
});
