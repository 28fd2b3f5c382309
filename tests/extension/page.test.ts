import type { Window } from 'happy-dom';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Answered, OwnOffers } from '#extension/answers.ts';
import { openOffer } from '#tests/support/offer-page.ts';
import { answerOf, openPage, runScripts } from '#tests/support/steam-page.ts';
import { tradeWorld } from './world.ts';

/** The events of the window, which come as a test says. */
const events = new EventTarget();

/** Callbacks that wait for the browser to be idle. It is so when a test says, and is no longer waited for after their time. */
const waiting: (() => void)[] = [];
function whenIdle(call: () => void, { timeout }: { timeout: number }): void {
  waiting.push(call);
  setTimeout(call, timeout);
}
async function beIdle(): Promise<void> {
  for (const call of waiting.splice(0)) call();
  await pass(0);
}
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const load = async (): Promise<unknown> => events.dispatchEvent(new Event('load'));

/** Runs the extension's script in a page, and answers its questions. */
async function runIn(page: Window, answers: { now: Answered<OwnOffers> }, forMs = 1_000) {
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval', 'setTimeout'] });
  vi.stubGlobal('document', page.document);
  vi.stubGlobal('location', page.location);
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
  vi.stubGlobal('requestIdleCallback', whenIdle);
  vi.stubGlobal('MutationObserver', page.MutationObserver);
  vi.stubGlobal('browser', {
    i18n: { getUILanguage: () => 'en' },
    runtime: { sendMessage: async () => answers.now },
  });
  vi.resetModules();
  waiting.length = 0;
  await import('#extension/steam/page.ts');
  await beIdle();
  await vi.advanceTimersByTimeAsync(forMs);
  return () =>
    [...page.document.querySelectorAll('keepsake-verdict')].map((card) => card.getAttribute('data-verdict'));
}
const away = { ok: false, why: 'unreachable' } as const;

test('A verdict on an offer falls with the answer that it came from', async () => {
  const { world, bot, viewer, send, known, answerFor, message } = tradeWorld();
  const offer = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  const value = answerFor(viewer, [known(offer, 'claim', viewer)]);
  const answers: { now: Answered<OwnOffers> } = { now: { ok: true, value } };
  const cards = await runIn(openOffer(world, offer, viewer), answers);
  expect(cards()).toEqual(['reward']);
  answers.now = { ok: false, why: 'revoked' };
  await vi.advanceTimersByTimeAsync(60_000);
  expect(cards()).toEqual(['unknown']);
});

test.each([
  ['has loaded and is idle', load, beIdle],
  ['has loaded and stays busy', load, () => pass(200)],
  ['has been loading for half a second and is idle', () => pass(1), beIdle],
  ['has been loading for half a second and stays busy', () => pass(1), () => pass(200)],
] as const)('A page is read once it %s, and keeps it waiting for nothing before', async (_, happen, then) => {
  const { world, bot, viewer, send, known, answerFor, message } = tradeWorld();
  const offer = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  const value = answerFor(viewer, [known(offer, 'claim', viewer)]);
  const page = openOffer(world, offer, viewer);
  const read = vi.spyOn(page.document, 'querySelectorAll');
  Object.defineProperty(page.document, 'readyState', { value: 'interactive' });
  const asked = vi.fn(() => ({ ok: true, value }) as const);
  const answers = {
    get now() {
      return asked();
    },
  };
  const cards = await runIn(page, answers, 499);
  expect(read).not.toHaveBeenCalled();
  // The question is on its way meanwhile.
  expect(asked).toHaveBeenCalledOnce();
  await happen();
  expect(read).not.toHaveBeenCalled();
  await then();
  expect(cards()).toEqual(['reward']);
});

const takenOut = `StartCounterOffer(); const taken = g_rgCurrentTradeStatus.them.assets[0]; MoveItemToTrade('them', taken);`;
test.each([
  ['“Change offer” was pressed', 'StartCounterOffer();'],
  ['an item was taken out and put back', `${takenOut} MoveItemToTrade('them', taken);`],
])('A page on which %s while it was loading is never green', async (_, press) => {
  const { world, bot, viewer, send, known, answerFor, message } = tradeWorld();
  const offer = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  const value = answerFor(viewer, [known(offer, 'claim', viewer)]);
  const page = openOffer(world, offer, viewer);
  Object.defineProperty(page.document, 'readyState', { value: 'interactive' });
  const cards = await runIn(page, { now: { ok: true, value } }, 200);
  runScripts(page, press);
  await load();
  await beIdle();
  for (const passMs of [0, 300, 1_000, 10_000]) {
    await vi.advanceTimersByTimeAsync(passMs);
    expect(cards()).toEqual(['changed']);
  }
});

test('The list says in one line that the site is away, and a row that is over loses its verdict', async () => {
  const { world, bot, friend, viewer, send, known, answerFor, message } = tradeWorld();
  const offer = send(bot, viewer, { gives: 1, message: message('Your reward.') });
  send(friend, viewer, { gives: 1, message: 'a gift' });
  const { headers } = answerOf(world, viewer, '/my/tradeoffers/');
  const page = openPage(headers.location ?? '', answerOf(world, viewer, headers.location ?? '').body);
  const answers: { now: Answered<OwnOffers> } = { now: away };
  const cards = await runIn(page, answers);
  expect(cards()).toEqual(['unknown']);
  answers.now = { ok: true, value: answerFor(viewer, [known(offer, 'claim', viewer)]) };
  await vi.advanceTimersByTimeAsync(60_000);
  expect(cards()).toEqual(['reward']);
  const row = page.document.querySelector(`#tradeofferid_${offer.id} .tradeoffer_items_ctn`);
  row?.classList.add('inactive');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(cards()).toEqual([]);
});
