import { expect, test } from 'vitest';
import { createLimiters } from '#bot/steam/limiters.ts';
import { LiveAccount } from '#bot/steam/live-account.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';
import { hurriedPace } from '#tests/support/steam-stage.ts';

test('An answer without an offer leaves open whether there is one: it is looked for, not sent again', async () => {
  const offer = {
    id: null,
    addMyItem() {},
    addTheirItem() {},
    setMessage() {},
    send: (answer: (error: null, status: string) => void) => answer(null, 'sent'),
  };
  const session = { isReady: true, clients: { manager: { createOffer: () => offer } } };
  const account = new LiveAccount({
    botId: 'bot-1',
    steamId: '76561198000000009',
    identitySecret: '',
    session: session as unknown as SteamSession,
    limiters: createLimiters(hurriedPace.services),
  });
  const request = { partnerSteamId: '76561198000000001', tradeToken: 'tokenABC', message: '' };
  const answer = await account.sendOffer({ ...request, give: [], receive: [] });
  expect(answer).toMatchObject({ ok: false, code: 'answerLost', retry: 'unknown' });
});
