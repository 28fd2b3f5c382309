import type { Window } from 'happy-dom';
import { type Reading, readOffer } from '#extension/steam/read-offer.ts';
import type { SteamPerson, TradeOffer } from '#sandbox/steam/state.ts';
import type { SteamWorld } from '#sandbox/steam/world.ts';
import { answerOf, openPage, runScripts } from './steam-page.ts';

/** The page of an offer as one of its sides sees it, after its own script has run. */
export function openOffer(world: SteamWorld, offer: TradeOffer, to: SteamPerson): Window {
  const address = `/tradeoffer/${offer.id}/`;
  const page = openPage(address, answerOf(world, to, address).body);
  runScripts(page);
  return page;
}

/** Reads the page of an offer once. */
export const readingOf = ({ document, location }: Window): Reading =>
  readOffer(document as never, location.pathname);
