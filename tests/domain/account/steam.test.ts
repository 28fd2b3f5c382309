import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIdNonces } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { consumeOpenIdNonce } from '#domain/account/steam/consume-open-id-nonce.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { unlinkSteam } from '#domain/account/steam/unlink-steam.ts';
import { formatTradeLink, parseTradeLink } from '#domain/identity/steam/trade-link.ts';
import { day } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { join, mira, noonMs, otto } from './people.ts';

const steamId = '76561197960266729';
const link = 'https://steamcommunity.com/tradeoffer/new/?partner=1001&token=AbCd-_12';
const refused = (code: string) => ({ ok: false, code });

test('A Steam account belongs to one user, and a user has one Steam account', async () => {
  await using db = await openTestDatabase();
  const miraId = await join(db, mira);
  const ottoId = await join(db, otto);
  expect(await linkSteam(db, { userId: miraId, steamId, personaName: 'mira' }, noonMs)).toEqual({ ok: true });
  expect(await linkSteam(db, { userId: miraId, steamId }, noonMs)).toEqual({ ok: true });
  expect(await linkSteam(db, { userId: ottoId, steamId }, noonMs)).toEqual(refused('steamLinkedElsewhere'));
  expect(await linkSteam(db, { userId: miraId, steamId: '76561197960266730' }, noonMs)).toEqual(
    refused('otherSteamLinked'),
  );
  expect((await getAccount(db, { userId: miraId }))?.steam).toEqual({
    steamId,
    personaName: 'mira',
    tradeLink: null,
  });
});

test('Of two users linking one Steam account at once, one gets it', async () => {
  await using db = await openTestDatabase();
  const ids = [await join(db, mira), await join(db, otto)];
  const outcomes = await Promise.all(ids.map((userId) => linkSteam(db, { userId, steamId }, noonMs)));
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  expect(outcomes).toContainEqual(refused('steamLinkedElsewhere'));
});

test('The trade link must belong to the linked Steam account', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const set = (tradeLink: string) => setTradeLink(db, { userId, tradeLink }, noonMs);
  expect(await set('nonsense')).toEqual(refused('tradeLinkMalformed'));
  expect(await set(link)).toEqual(refused('steamNotLinked'));
  await linkSteam(db, { userId, steamId }, noonMs);
  expect(await set(link.replace('1001', '1002'))).toEqual(refused('tradeLinkNotYours'));
  expect((await getAccount(db, { userId }))?.steam?.tradeLink).toBeNull();
  expect(await set(`  ${link}\n`)).toEqual({ ok: true, steamId });
  expect((await getAccount(db, { userId }))?.steam?.tradeLink).toBe(link);
});

test('Another trade link is told to the owner by mail, and neither the first one nor the same again', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await linkSteam(db, { userId, steamId }, noonMs);
  const notified = async () =>
    (await db.read.select().from(mails).where(eq(mails.template, 'accountChanged'))).flatMap(({ values }) =>
      values.change === 'steamLinked' ? [] : [values.change],
    );
  for (const tradeLink of [link, link]) await setTradeLink(db, { userId, tradeLink }, noonMs);
  expect(await notified()).toEqual([]);
  await setTradeLink(db, { userId, tradeLink: link.replace('AbCd', 'EfGh') }, noonMs);
  expect(await notified()).toEqual(['tradeLinkChanged']);
});

test('Disconnecting Steam deletes the trade link and frees the account', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await linkSteam(db, { userId, steamId }, noonMs);
  await setTradeLink(db, { userId, tradeLink: link }, noonMs);
  expect(await unlinkSteam(db, { userId }, noonMs)).toEqual({ ok: true });
  expect(await unlinkSteam(db, { userId }, noonMs)).toEqual(refused('steamNotLinked'));
  expect(await linkSteam(db, { userId: await join(db, otto), steamId }, noonMs)).toEqual({ ok: true });
  await linkSteam(db, { userId, steamId: '76561197960266730' }, noonMs);
  expect((await getAccount(db, { userId }))?.steam?.tradeLink).toBeNull();
});

test.each([
  ['http', 'http://steamcommunity.com/tradeoffer/new/?partner=1001&token=AbCd-_12'],
  [
    'a look-alike host',
    'https://steamcommunity.com.evil.example/tradeoffer/new/?partner=1001&token=AbCd-_12',
  ],
  [
    'a host behind credentials',
    'https://steamcommunity.com@evil.example/tradeoffer/new/?partner=1001&token=AbCd-_12',
  ],
  ['credentials', 'https://me@steamcommunity.com/tradeoffer/new/?partner=1001&token=AbCd-_12'],
  ['another port', 'https://steamcommunity.com:8443/tradeoffer/new/?partner=1001&token=AbCd-_12'],
  ['another path', 'https://steamcommunity.com/tradeoffer/1001/?partner=1001&token=AbCd-_12'],
  ['no partner', 'https://steamcommunity.com/tradeoffer/new/?token=AbCd-_12'],
  ['partner zero', 'https://steamcommunity.com/tradeoffer/new/?partner=0&token=AbCd-_12'],
  [
    'a partner beyond 32 bits',
    'https://steamcommunity.com/tradeoffer/new/?partner=4294967296&token=AbCd-_12',
  ],
  [
    'a SteamID64 as partner',
    'https://steamcommunity.com/tradeoffer/new/?partner=76561197960266729&token=AbCd-_12',
  ],
  ['two partners', 'https://steamcommunity.com/tradeoffer/new/?partner=1001&partner=1002&token=AbCd-_12'],
  ['two tokens', 'https://steamcommunity.com/tradeoffer/new/?partner=1001&token=AbCd-_12&token=AbCd-_13'],
  ['a short token', 'https://steamcommunity.com/tradeoffer/new/?partner=1001&token=AbCd-_1'],
  ['a long token', 'https://steamcommunity.com/tradeoffer/new/?partner=1001&token=AbCd-_123'],
  ['a token of other characters', 'https://steamcommunity.com/tradeoffer/new/?partner=1001&token=AbCd%2F_12'],
  ['nothing', ''],
  ['a script', 'javascript:alert(1)'],
])('A trade link with %s is invalid', (_, text) => {
  expect(parseTradeLink(text)).toBeNull();
});

test('A formatted trade link is parsed as the same account and token', () => {
  const accounts = fc.integer({ min: 1, max: 0xffff_ffff });
  fc.assert(
    fc.property(accounts, fc.stringMatching(/^[\w-]{8}$/), (account, token) => {
      const id = String(76_561_197_960_265_728n + BigInt(account));
      expect(parseTradeLink(formatTradeLink({ steamId: id, token }))).toEqual({ steamId: id, token });
    }),
  );
});

test('No text makes parsing a trade link throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), (text) => {
      expect(parseTradeLink(text)).toBeNull();
    }),
  );
});

test('An OpenID answer is accepted once, also for concurrent requests', async () => {
  await using db = await openTestDatabase();
  const spend = (nowMs: number) => consumeOpenIdNonce(db, { nonce: '2026-05-01T12:00:00Zabc' }, nowMs);
  const outcomes = await Promise.all([spend(noonMs), spend(noonMs)]);
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  expect(await spend(noonMs + 1)).toEqual(refused('nonceReplayed'));
});

test('Nonces too old to be accepted are deleted', async () => {
  await using db = await openTestDatabase();
  await consumeOpenIdNonce(db, { nonce: 'old' }, noonMs);
  await consumeOpenIdNonce(db, { nonce: 'new' }, noonMs + day + 1);
  expect((await db.read.select().from(openIdNonces)).map((row) => row.nonce)).toEqual(['new']);
});
