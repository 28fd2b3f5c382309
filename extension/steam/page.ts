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
/** A page that is still loading by then is not waited for any longer. */
const LOADING_MS = 500;

type Answer = Answered<OwnOffers>;

/** Keeps an answer fresh while the page is looked at, and lets the page be read as often as something in it changes. */
function follow(places: readonly string[], update: (answer: Answer | null) => void): () => void {
  let answer: Answer | null = null;
  const again = () => update(answer);
  const report = (now: Answer | null) => {
    answer = now;
    again();
  };
  const follower = new Follower({
    ask: askForOffers,
    report,
    now: () => [Date.now(), performance.now()],
  });
  const observer = new MutationObserver(again);
  const found = places.flatMap((place) => [...document.querySelectorAll(place)]);
  for (const place of found.length > 0 ? found : [document.body])
    observer.observe(place, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['class', 'data-miniprofile', 'id', 'style'],
    });
  setInterval(() => {
    follower.look(document.hidden);
    again();
  }, TICK_MS);
  document.addEventListener('visibilitychange', () => follower.look(document.hidden, !document.hidden));
  follower.look(false);
  return () => void follower.ask();
}

const cardIn = (place: Element, isRow: boolean): Card =>
  new Card(place, { language: language(), isRow, askAgain: () => ask() });

function watchOffer(): () => void {
  const read = followOffer(document, location.pathname);
  const since = Date.now();
  const card = cardIn(document.body, false);
  const places = [
    '.trade_area',
    '.trade_partner_headline',
    '#tradeoffer_includedmessage',
    '#modify_trade_offer_opts',
  ];
  return follow(places, (answer) => {
    const reading = read();
    const verdict: Verdict = answer ? judge(reading, answer) : { is: 'checking' };
    const isLate = answer && verdict.is === 'checking' && Date.now() - since >= PATIENCE_MS;
    card.show(isLate ? { is: 'unknown', why: 'filling' } : verdict);
  });
}

/** Without an answer one line at the top of the list says why, instead of one at each offer. */
function watchList(): () => void {
  const cards = new WeakMap<Element, Card>();
  const top = cardIn(document.body, true);
  return follow([], (answer) => {
    top.show(answer && !answer.ok ? { is: 'unknown', why: answer.why } : { is: 'none' });
    for (const { element, reading } of readList(document)) {
      const card = cards.get(element) ?? cardIn(element, true);
      cards.set(element, card);
      card.show(answer?.ok ? judge(reading, answer) : { is: 'checking' });
    }
  });
}

/** Resolves after the page's own `load`, before which browsers run this script: it would keep the page waiting. */
const loaded = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.readyState === 'complete') return resolve();
    addEventListener('load', () => setTimeout(resolve));
    setTimeout(resolve, LOADING_MS);
  });

let ask = (): void => undefined;
if (offerIdOf(location.pathname) !== null)
  void loaded().then(() => {
    ask = watchOffer();
  });
else if (isOfferList(location.pathname))
  void loaded().then(() => {
    ask = watchList();
  });
