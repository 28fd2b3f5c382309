import { Window } from 'happy-dom';
import { communityEndpoints } from '#sandbox/steam/community.ts';
import type { Answer } from '#sandbox/steam/http.ts';
import type { SteamPerson } from '#sandbox/steam/state.ts';
import { tradeScript } from '#sandbox/steam/trade-script.ts';
import type { SteamWorld } from '#sandbox/steam/world.ts';

const host = 'https://steamcommunity.com';

/** The sandbox's answer to a browser, as it comes over the wire. */
export function answerOf(world: SteamWorld, person: SteamPerson | null, address: string): Answer {
  const { pathname, searchParams } = new URL(address, host);
  for (const { method, path, answer } of communityEndpoints) {
    const match = method === 'GET' ? path.exec(pathname) : null;
    if (match === null) continue;
    const query = Object.fromEntries(searchParams);
    const cookies = { sessionid: 'demo-session' };
    return answer(world, { query, form: {}, cookies, person, parts: match.slice(1) });
  }
  throw new Error(`Nothing answers ${address}.`);
}

/** A page in a browser's document. Its own script has run only if `isLoaded`, as far as it gets without waiting. */
export function openPage(address: string, html: string): Window {
  const page = new Window({ url: new URL(address, host).href });
  page.document.write(html);
  return page;
}

/** Runs the page's scripts, as a browser does while it loads the page; `call` is what a press on it runs. */
export function runScripts(page: Window, ...calls: string[]): void {
  const scripts = [...page.document.querySelectorAll('script:not([src])')].map(
    ({ textContent }) => textContent,
  );
  const source = [tradeScript.replace("'use strict';", ''), ...scripts, ...calls].join('\n');
  const run = new Function('window', 'document', 'setTimeout', 'location', 'fetch', source);
  // The page puts nothing off, so that all of it is there at once.
  run(page, page.document, (later: () => void) => later(), page.location, page.fetch);
}
