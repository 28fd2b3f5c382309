import { setTimeout as delay } from 'node:timers/promises';
import { openSession } from '#domain/identity/session/open-session.ts';
import type { Actor } from './actor.ts';
import type { Person } from './people.ts';
import type { Stage } from './stage.ts';

const DEADLINE_MS = 30_000;
const publicPages = ['/', '/channels/', '/faq'];
const streamerPages = [
  '/dashboard',
  '/items',
  '/items/custody',
  '/rules',
  '/rules/who-got-what',
  '/channel',
  '/transfers',
];
const viewerPages = [
  '/rewardProgress',
  '/rewardHistory',
  '/browseChannels',
  '/transfers',
  '/settings',
  '/profile',
];

/** The first bytes of an address that is nobody's, so that each visitor has limits of their own. */
const network = '198.18';

/** Counts of what visitors' browsers met: pages by status, and the events of streams. */
export interface Visits {
  pages: Map<number | 'lost', number>;
  slowestMs: number;
  events: number;
  openStreams: number;
  /** Streams that ended, by the server or by time. */
  endedStreams: number;
}

export const newVisits = (): Visits => ({
  pages: new Map(),
  slowestMs: 0,
  events: 0,
  openStreams: 0,
  endedStreams: 0,
});

/** A signed-in browser with its address and cookie. */
class Browser {
  readonly #stage: Stage;
  readonly #person: Person;
  readonly #address: string;
  #cookie = '';

  constructor(stage: Stage, person: Person, place: number) {
    this.#stage = stage;
    this.#person = person;
    this.#address = `${network}.${Math.floor(place / 250)}.${1 + (place % 250)}`;
  }

  async signIn(): Promise<void> {
    const { db, panel, hostClock } = this.#stage;
    const nowMs = panel.nowMs() + hostClock.aheadMs;
    const { token } = await openSession(db, { userId: this.#person.userId, userAgent: 'soak' }, nowMs);
    const value = Buffer.from(JSON.stringify(token)).toString('base64');
    this.#cookie = `keepsake_session=${encodeURIComponent(value)}`;
  }

  async ask(path: string, accept: string, signal: AbortSignal): Promise<Response> {
    const response = await fetch(new URL(path, this.#stage.webUrl), {
      headers: { accept, cookie: this.#cookie, 'x-forwarded-for': this.#address },
      redirect: 'manual',
      signal,
    });
    for (const line of response.headers.getSetCookie())
      if (line.startsWith('keepsake_session=')) this.#cookie = line.split(';')[0] ?? '';
    return response;
  }

  get isSignedIn(): boolean {
    return this.#cookie !== '';
  }
}

/** A person who reads one page after another, and whose answers with an error are told. */
export function reader(
  stage: Stage,
  {
    person,
    place,
    visits,
    onError,
  }: { person: Person; place: number; visits: Visits; onError(what: string): void },
): Actor {
  const chance = stage.chanceOf(`pages of ${person.login}`);
  const browser = new Browser(stage, person, place);
  const isStreamer = stage.streamers.includes(person);
  const pages = [
    ...publicPages.map((page) => (page.endsWith('s/') ? `${page}${stage.streamers[0]?.login}` : page)),
    ...(isStreamer ? streamerPages : viewerPages),
  ];
  const count = (status: number | 'lost') => visits.pages.set(status, (visits.pages.get(status) ?? 0) + 1);
  return {
    name: `pages of ${person.login}`,
    pauseMs: () => chance.between(1000, 5000),
    async act() {
      if (!browser.isSignedIn) await browser.signIn();
      const path = chance.pick(pages) ?? '/';
      const begin = performance.now();
      try {
        const answer = await browser.ask(path, 'text/html', AbortSignal.timeout(DEADLINE_MS));
        await answer.text();
        count(answer.status);
        visits.slowestMs = Math.max(visits.slowestMs, performance.now() - begin);
        // With 503 a page says itself what does not answer.
        if (answer.status >= 500 && answer.status !== 503) onError(`${path} answered ${answer.status}`);
        if (answer.headers.get('location')?.includes('/auth/')) await browser.signIn();
      } catch (error) {
        count('lost');
        onError(`${path} was not answered: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

/** A page that stays open: it follows its event stream, and opens another when that ends. */
export function follower(
  stage: Stage,
  { person, place, visits }: { person: Person; place: number; visits: Visits },
): Actor {
  const chance = stage.chanceOf(`stream of ${person.login}`);
  const browser = new Browser(stage, person, place);
  return {
    name: `stream of ${person.login} ${place}`,
    pauseMs: () => chance.between(1000, 4000),
    async act() {
      if (!browser.isSignedIn) await browser.signIn();
      // A page is left after some minutes.
      const left = AbortSignal.timeout(chance.between(60_000, 600_000));
      try {
        const signal = AbortSignal.any([left, stage.over.signal]);
        const answer = await browser.ask('/events', 'text/event-stream', signal);
        if (answer.status !== 200 || !answer.body) return await browser.signIn();
        visits.openStreams += 1;
        try {
          for await (const chunk of answer.body)
            visits.events += Buffer.from(chunk).toString().split('\ndata: ').length - 1;
        } finally {
          visits.openStreams -= 1;
        }
      } catch {
        // It was left, or the server ended it.
        await delay(100);
      }
      visits.endedStreams += 1;
    },
  };
}
