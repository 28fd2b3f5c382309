import { expect, test } from 'vitest';
import { createLog } from '#bot/log.ts';
import { browserHeaders } from '#bot/steam/browser-headers.ts';
import { createSteamClients } from '#bot/steam/steam-clients.ts';
import { setSteamStage } from '#tests/support/steam-stage.ts';

test('Headers set by a package win, whatever their case', () => {
  const given = { referer: 'https://steamcommunity.com/tradeoffer/new/?partner=1', 'user-agent': 'demo' };
  expect(browserHeaders('https://steamcommunity.com/tradeoffer/new/send', given)).toEqual({
    ...given,
    Accept: '*/*',
    'Accept-Language': 'en-US,en;q=0.9',
  });
});

test('Confirmations and Web API calls have no referer', () => {
  const headersOf = (url: string) => Object.keys(browserHeaders(url));
  expect(headersOf('https://steamcommunity.com/mobileconf/getlist')).not.toContain('Referer');
  expect(headersOf('https://api.steampowered.com/IEconService/GetTradeOffers/v1/')).not.toContain('Referer');
  expect(headersOf('https://steamcommunity.com/inventory/1/730/2')).toContain('Referer');
});

test('The Steam packages’ requests have these headers', async () => {
  const { steam, viewer } = await setSteamStage();
  const { community, manager } = createSteamClients({
    proxy: steam.proxyUrl,
    pollIntervalMs: -1,
    log: createLog('silent'),
  });
  const sent: Record<string, string>[] = [];
  const received = community as unknown as {
    on(
      event: 'postHttpRequest',
      receive: (id: number, source: string, request: { headers: never }) => void,
    ): void;
  };
  received.on('postHttpRequest', (_id, _source, { headers }) => sent.push(headers));
  await new Promise<void>((resolve) => {
    manager.getUserInventoryContents(viewer.steamId, 730, 2, false, () => resolve());
  });
  expect(sent.length).toBeGreaterThan(0);
  for (const headers of sent) expect(headers).toHaveProperty('Accept-Language');
  expect(sent[0]).toMatchObject({ Referer: expect.stringContaining('https://steamcommunity.com/') });
});
