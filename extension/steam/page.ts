// The script in Steam's pages. It reads and says; it never presses, hides or covers anything of theirs.
import type { Answered, OwnOffers } from '../answers.ts';
import { askForOffers } from '../messages.ts';
import { language } from '../texts/texts.ts';
import { Card } from './card.ts';
import { Follower } from './follow.ts';
import { judge, type Verdict } from './judge.ts';
import { isOfferList, readList } from './read-list.ts';
import { followOffer, offerIdOf } from './read-offer.ts';

/** A page that has not shown its items by then is not waited for any longer. */
const PATIENCE_MS = 10_000;
const TICK_MS = 1_000;
/**
 * The first idle moment is asked for at the page's `load`, or so long after this script began if that is earlier, and waited
 * for no longer than `IDLE_MS`. Until the page is read there is no verdict, so none is green. An offer that is changed before
 * its first reading is not taken for the one that was sent: a change begins with "Change offer", and what that hides stays
 * hidden until the page is loaded anew.
 */
const LOADING_MS = 500;
const IDLE_MS = 200;

type Answer = Answered<OwnOffers>;

/** The places in the page whose changes count (all of it if there are none), and what is done at each and with each answer. */
interface Watch {
  places: readonly string[];
  update: (answer: Answer | null) => void;
}

/**
 * Asks at once, and keeps the answer fresh while the page is looked at. The page itself is read in an idle moment (see
 * `mayRead`), and then as often as something in it changes.
 */
function follow(begin: () => Watch): void {
  let answer: Answer | null = null;
  let again = (): void => undefined;
  const report = (now: Answer | null) => {
    answer = now;
    again();
  };
  const follower = new Follower({
    ask: askForOffers,
    report,
    now: () => [Date.now(), performance.now()],
  });
  ask = () => void follower.ask();
  follower.look(false);
  void mayRead().then(() => {
    const { places, update } = begin();
    again = () => update(answer);
    if (answer) again();
    observe(places, again);
    setInterval(() => {
      follower.look(document.hidden);
      again();
    }, TICK_MS);
    document.addEventListener('visibilitychange', () => follower.look(document.hidden, !document.hidden));
  });
}

function observe(places: readonly string[], again: () => void): void {
  const observer = new MutationObserver(again);
  const found = places.flatMap((place) => [...document.querySelectorAll(place)]);
  for (const place of found.length > 0 ? found : [document.body])
    observer.observe(place, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['class', 'data-miniprofile', 'id', 'style'],
    });
}

const cardIn = (place: Element, isRow: boolean): Card =>
  new Card(place, { language: language(), isRow, askAgain: () => ask() });

function watchOffer(): Watch {
  const read = followOffer(document, location.pathname);
  const since = Date.now();
  const card = cardIn(document.body, false);
  const places = [
    '.trade_area',
    '.trade_partner_headline',
    '#tradeoffer_includedmessage',
    '#modify_trade_offer_opts',
  ];
  const update = (answer: Answer | null): void => {
    const reading = read();
    const verdict: Verdict = answer ? judge(reading, answer) : { is: 'checking' };
    const isLate = answer && verdict.is === 'checking' && Date.now() - since >= PATIENCE_MS;
    card.show(isLate ? { is: 'unknown', why: 'filling' } : verdict);
  };
  return { places, update };
}

/** Without an answer one line at the top of the list says why, instead of one at each offer. */
function watchList(): Watch {
  const cards = new WeakMap<Element, Card>();
  const top = cardIn(document.body, true);
  const update = (answer: Answer | null): void => {
    top.show(answer && !answer.ok ? { is: 'unknown', why: answer.why } : { is: 'none' });
    for (const { element, reading } of readList(document)) {
      const card = cards.get(element) ?? cardIn(element, true);
      cards.set(element, card);
      card.show(answer?.ok ? judge(reading, answer) : { is: 'checking' });
    }
  };
  return { places: [], update };
}

/**
 * Resolves in the first idle moment of a page that has loaded, or has been loading for `LOADING_MS`; in a page that stays busy
 * after `IDLE_MS` more. Browsers run this script before that: its work would keep the page waiting, and whoever presses
 * something as it appears.
 */
const mayRead = (): Promise<unknown> =>
  new Promise((resolve) => {
    const whenIdle = () => requestIdleCallback(resolve, { timeout: IDLE_MS });
    if (document.readyState === 'complete') return void whenIdle();
    addEventListener('load', whenIdle);
    setTimeout(whenIdle, LOADING_MS);
  });

let ask = (): void => undefined;
if (offerIdOf(location.pathname) !== null) follow(watchOffer);
else if (isOfferList(location.pathname)) follow(watchList);
