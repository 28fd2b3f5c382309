// The script in Steam's pages. It reads and says; it never presses, hides or covers anything of theirs.
import type { Answered, OwnOffers } from '../answers.ts';
import { askForOffers } from '../messages.ts';
import { language } from '../texts/texts.ts';
import { Card } from './card.ts';
import { judge } from './judge.ts';
import { isOfferList, readList } from './read-list.ts';
import { followOffer, offerIdOf } from './read-offer.ts';

/** A page that has not shown its items by then is not waited for any longer. */
const PATIENCE_MS = 10_000;
/** An answer is asked for anew after this time, so that a verdict never outlives it for long. */
const FRESH_MS = 60_000;

/** Keeps asking while the page is looked at, and tells whoever shows the answer. */
function follow(tell: (answer: Answered<OwnOffers>) => void): () => void {
  let askedAt = 0;
  const ask = () => {
    askedAt = performance.now();
    void askForOffers().then(tell);
  };
  const askIfOld = () => {
    if (!document.hidden && performance.now() - askedAt >= FRESH_MS) ask();
  };
  setInterval(askIfOld, FRESH_MS);
  document.addEventListener('visibilitychange', askIfOld);
  ask();
  return ask;
}

function watchOffer(): void {
  const read = followOffer(document, location.pathname);
  let answer: Answered<OwnOffers> | null = null;
  let isLate = false;
  const card = new Card(document.body, { language: language(), isRow: false, askAgain: () => ask() });
  const update = () => {
    const reading = read();
    if (!answer) return;
    const verdict = judge(reading, answer);
    card.show(verdict.is === 'checking' && isLate ? { is: 'unknown', why: 'filling' } : verdict);
  };
  new MutationObserver(update).observe(document.documentElement, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['class', 'data-miniprofile', 'id', 'style'],
  });
  setTimeout(() => {
    isLate = true;
    update();
  }, PATIENCE_MS);
  const ask = follow((now) => {
    answer = now;
    update();
  });
}

function watchList(): void {
  const cards = new Map<Element, Card>();
  const ask = follow((answer) => {
    for (const { element, reading } of readList(document)) {
      const card =
        cards.get(element) ?? new Card(element, { language: language(), isRow: true, askAgain: () => ask() });
      cards.set(element, card);
      card.show(judge(reading, answer));
    }
  });
}

if (offerIdOf(location.pathname) !== null) watchOffer();
else if (isOfferList(location.pathname)) watchList();
