import { expect, test } from 'vitest';
import { judge } from '#extension/steam/judge.ts';
import { followOffer } from '#extension/steam/read-offer.ts';
import { say } from '#extension/steam/said.ts';
import { tradeShapes } from '#sandbox/steam/trade-shapes.ts';
import { openOffer, readingOf } from '#tests/support/offer-page.ts';
import { runScripts } from '#tests/support/steam-page.ts';
import { tradeWorld } from './world.ts';

const statuses = Object.keys(tradeShapes.status) as (keyof typeof tradeShapes.status)[];

test('A stack is known by its id, and counted by its pieces', () => {
  for (const status of statuses) {
    const { world, bot, streamer, send, known, answerFor, message } = tradeWorld({ status });
    const offer = send(bot, streamer, { asks: 1, asksPieces: 500, message: message('Your deposit.') });
    const page = openOffer(world, offer, streamer);
    expect(page.document.querySelectorAll('[id^=tradestack_]')).toHaveLength(1);
    const own = known(offer, 'deposit', streamer);
    const verdict = judge(readingOf(page), { ok: true, value: answerFor(streamer, [own]) });
    expect([status, verdict.is]).toEqual([status, 'deposit']);
    expect(say(verdict, 'en')?.title).toContain('501 items');
    page.document.querySelector('[id^=tradestack_]')!.id = 'tradestack_1';
    expect(readingOf(page).is).toBe('changed');
  }
});

/** Names and messages as whoever wants your items writes them. */
const disguises: Record<string, { name?: string; note: string }> = {
  'a Cyrillic letter in its name': { name: 'Кeepsake_02', note: 'K7Q2-M4XO – your reward' },
  'a digit for a letter in its name': { name: 'Dem0 bot', note: 'your reward' },
  'a Greek letter in its message': { note: 'from Κeepsake' },
  'digits for letters in its message': { note: 'K33psake reward' },
  'small letters in its code': { note: 'k7q2-m4xd' },
  'one wrong letter in its code': { note: 'K7Q2-M4X0' },
  'look-alikes in its code': { note: 'К7Q2–М4ХD' },
};

test.each(Object.entries(disguises))('An offer with %s is red', (_, { name = 'Somebody', note }) => {
  const { world, bot, viewer, send, known, answerFor, message } = tradeWorld();
  const real = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  const offer = send(world.addUser({ name }), viewer, { asks: 2, message: note });
  const answer = answerFor(viewer, [known(real, 'claim', viewer)]);
  const verdict = judge(readingOf(openOffer(world, offer, viewer)), { ok: true, value: answer });
  expect(say(verdict, 'en')?.tone).toBe('bad');
});

test('Words with a hyphen are no code', () => {
  const { world, bot, friend, viewer, send, known, answerFor, message } = tradeWorld();
  const real = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  const offer = send(friend, viewer, { asks: 1, message: 'A well-made knife, чуть-чуть' });
  const answer = answerFor(viewer, [known(real, 'claim', viewer)]);
  expect(judge(readingOf(openOffer(world, offer, viewer)), { ok: true, value: answer }).is).toBe('none');
});

test('An imitation is red whichever Steam account is signed in or connected', () => {
  const { world, impostor, streamer, viewer, send, answerFor } = tradeWorld();
  const offer = send(impostor, viewer, { asks: 2, message: 'Your reward' });
  const reading = readingOf(openOffer(world, offer, viewer));
  for (const steamId of [null, streamer.steamId])
    expect(judge(reading, { ok: true, value: { ...answerFor(viewer, []), steamId } }).is).toBe('imitated');
});

test('An offer of our own bot to another account than the connected one is a matter of the account', () => {
  const { world, bot, streamer, viewer, send, answerFor, message } = tradeWorld();
  const reading = readingOf(openOffer(world, send(bot, viewer, { gives: 1, message: message('') }), viewer));
  const whyFor = (steamId: string | null) =>
    judge(reading, { ok: true, value: { ...answerFor(viewer, []), steamId } });
  expect([null, streamer.steamId, viewer.steamId].map(whyFor)).toMatchObject([
    { why: 'noAccount' },
    { why: 'account' },
    { why: 'unnamed' },
  ]);
});

test('An offer of ours with other items is said to be ours, and nothing else is said to wait', () => {
  const { world, bot, viewer, send, known, answerFor, message } = tradeWorld();
  const offer = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  const own = known(offer, 'claim', viewer);
  own.items[0]!.key += '1';
  const reading = readingOf(openOffer(world, offer, viewer));
  const said = say(judge(reading, { ok: true, value: answerFor(viewer, [own]) }), 'en');
  expect(said?.title).toBe('This is not what we sent: do not accept');
  expect(said?.foot).not.toContain('waiting');
});

test('What others write beside the sender’s name, and slots drawn anew, turn no true reward red', () => {
  const { world, bot, viewer, send, known, answerFor, message } = tradeWorld();
  const offer = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  const page = openOffer(world, offer, viewer);
  const read = followOffer(page.document as never, page.location.pathname);
  const value = answerFor(viewer, [known(offer, 'claim', viewer)]);
  const verdict = () => judge(read(), { ok: true, value }).is;
  const found = [verdict()];
  page.document.querySelector('[data-miniprofile]')!.append(' (level 12)');
  found.push(verdict());
  runScripts(page, 'RefreshTradeStatus(g_rgCurrentTradeStatus, false);');
  found.push(verdict());
  const other = page.document.createElement('p');
  other.className = 'included_trade_offer_note';
  page.document.body.append(other);
  found.push(verdict());
  other.remove();
  runScripts(page);
  expect([...found, verdict()]).toEqual(['reward', 'reward', 'checking', 'unknown', 'reward']);
});
