import { processLog } from '#app/http/logger.server.ts';
import type { Door, Notice, Setup, ShownMoment } from '#app/overlay/protocol.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { listenFor } from '#app/services/live-events.server.ts';
import type { LiveEvent } from '#domain/outbox/read-events.ts';
import { findOverlayOf, type Overlay } from '#domain/overlay/overlay.ts';
import { type Board, readBoard } from '#domain/overlay/read-board.ts';
import { type Moment, readMoments } from '#domain/overlay/read-moments.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** Events that come together are read together. */
const TOGETHER_MS = 20;
/** A reading that failed is repeated after this time, for the last events at most. */
const AGAIN_MS = 1_000;
const MAX_WAITING = 100;
/** The board follows a burst of changes a moment later, once. */
const SETTLED_MS = 250;

/** A page on a stream of events. An event's id lets a stream that opens again go on after it. */
export interface Page {
  door: Door;
  /** The hash of the secret that it was opened with. */
  hash: string;
  notify: (notice: Notice, id?: string) => void;
}

const setupOf = ({ layout, locale, isCalm, hasSound, stoppedAtMs }: Overlay): Setup => ({
  layout,
  locale,
  isCalm,
  hasSound,
  isStopped: stoppedAtMs !== null,
});

const shownMoment = ({ atMs: _, ...moment }: Moment): ShownMoment => moment;

/** The events that moments come from. */
export const momentEvents = ['reward.changed', 'overlay.tested'] as const;

/** A made-up moment: nobody has the name, and it is marked wherever it is shown. */
export const madeUpMoment = (id: string, locale: Setup['locale']): ShownMoment => ({
  id,
  kind: 'earned',
  name: { en: 'Made_up_viewer', ru: 'Придуманный_зритель' }[locale],
  item: { name: 'AK-47 | Redline', iconUrl: '', rarityTag: 'Rarity_Legendary_Weapon' },
  ruleName: '',
  isTest: true,
});

/** The show of one streamer's open overlays and docks: read once for all of them, which are told when it changes. */
export class OverlayShow {
  readonly #pages = new Set<Page>();
  readonly #listening: { stop: () => void; begun: Promise<void> };
  #overlay: Overlay;
  #board: Board | null = null;
  #boardText = '';
  #isRead = false;
  #waiting: string[] = [];
  #boardTimer: NodeJS.Timeout | null = null;

  constructor(overlay: Overlay) {
    this.#overlay = overlay;
    this.#listening = listenFor(overlay.userId, (event) => this.#handle(event));
  }

  get begun(): Promise<void> {
    return this.#listening.begun;
  }

  get channelId(): string | null {
    return this.#board?.channelId ?? null;
  }

  /** The Twitch ids of the viewers whom the board names. */
  get namedIds(): readonly string[] {
    return this.#board?.namedIds ?? [];
  }

  get isEmpty(): boolean {
    return this.#pages.size === 0;
  }

  /** Adds a page, so that the show goes on while it is there. */
  enter(page: Page, overlay: Overlay): void {
    this.#overlay = overlay;
    this.#pages.add(page);
  }

  /** Tells a page how things stand. `id` is the place from which its stream goes on. */
  async begin(page: Page, id: string): Promise<void> {
    if (!this.#isRead) await this.#readBoard();
    page.notify({ kind: 'setup', setup: setupOf(this.#overlay) }, id);
    if (page.door === 'overlay') page.notify({ kind: 'board', board: this.#shownBoard() });
  }

  remove(page: Page): void {
    this.#pages.delete(page);
    if (this.isEmpty) this.#listening.stop();
  }

  /** Tells a page the moments of these events that it missed. */
  async catchUp(page: Page, missed: readonly LiveEvent[]): Promise<void> {
    for (const moment of await this.#momentsOf(missed)) page.notify({ kind: 'moment', moment }, moment.id);
  }

  /** Reads the board again, and tells the pages if it changed. */
  async refreshBoard(): Promise<void> {
    if (await this.#readBoard()) this.#notify({ kind: 'board', board: this.#shownBoard() }, 'overlay');
  }

  /** Tells the pages of another secret than these that it was replaced. */
  dismiss(hashes: Overlay['hashes'] | null): void {
    for (const page of [...this.#pages])
      if (page.hash !== hashes?.[page.door]) {
        this.#pages.delete(page);
        page.notify({ kind: 'gone' });
      }
  }

  #shownBoard() {
    if (!this.#board || this.#overlay.stoppedAtMs !== null) return null;
    const { channelId: _, namedIds: __, ...board } = this.#board;
    return board;
  }

  #notify(notice: Notice, door?: Door, id?: string): void {
    for (const page of [...this.#pages])
      if (door === undefined || page.door === door) page.notify(notice, id);
  }

  #handle(event: LiveEvent): void {
    if (event.kind === 'overlay.changed') this.#attempt(() => this.#readOverlay());
    else if (event.kind === 'overlay.tested')
      this.#notify(
        { kind: 'moment', moment: madeUpMoment(event.id, this.#overlay.locale) },
        'overlay',
        event.id,
      );
    else if (event.kind === 'reward.changed') {
      if (this.#waiting.push(event.id) === 1) this.#notifySoon(TOGETHER_MS);
      this.#settleBoard();
    } else if (event.kind === 'rule.changed') this.#settleBoard();
  }

  #settleBoard(): void {
    this.#boardTimer ??= outsideRequests(() =>
      setTimeout(() => {
        this.#boardTimer = null;
        this.#attempt(() => this.refreshBoard());
      }, SETTLED_MS).unref(),
    );
  }

  #notifySoon(ms: number): void {
    outsideRequests(() => setTimeout(() => this.#attempt(() => this.#notifyMoments()), ms).unref());
  }

  async #notifyMoments(): Promise<void> {
    const eventIds = this.#waiting;
    this.#waiting = [];
    if (this.#overlay.stoppedAtMs !== null) return;
    const { userId } = this.#overlay;
    let moments: Moment[];
    try {
      moments = await readMoments(await database(), { userId, eventIds });
    } catch (error) {
      // They are read again a little later, with those that came in between.
      this.#waiting.unshift(...eventIds.slice(-MAX_WAITING));
      if (!this.isEmpty) this.#notifySoon(AGAIN_MS);
      throw error;
    }
    for (const moment of moments)
      this.#notify({ kind: 'moment', moment: shownMoment(moment) }, undefined, moment.id);
  }

  async #momentsOf(missed: readonly LiveEvent[]): Promise<ShownMoment[]> {
    if (this.#overlay.stoppedAtMs !== null) return [];
    const { userId, locale } = this.#overlay;
    const eventIds = missed.filter(({ kind }) => kind === 'reward.changed').map(({ id }) => id);
    const happened = (await readMoments(await database(), { userId, eventIds })).map(shownMoment);
    const tests = missed
      .filter(({ kind }) => kind === 'overlay.tested')
      .map(({ id }) => madeUpMoment(id, locale));
    return [...happened, ...tests].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async #readOverlay(): Promise<void> {
    const db = await database();
    const overlay = await findOverlayOf(db.read, this.#overlay.userId);
    this.dismiss(overlay?.hashes ?? null);
    if (!overlay) return;
    this.#overlay = overlay;
    await this.#readBoard();
    this.#notify({ kind: 'setup', setup: setupOf(overlay) });
    this.#notify({ kind: 'board', board: this.#shownBoard() }, 'overlay');
  }

  /** Returns whether the board changed. */
  async #readBoard(): Promise<boolean> {
    const board = await readBoard(await database(), this.#overlay, await domainNow());
    const text = JSON.stringify(board);
    const isChanged = text !== this.#boardText;
    [this.#board, this.#boardText, this.#isRead] = [board, text, true];
    return isChanged;
  }

  #attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      processLog.warn({ err: error }, 'could not read what an overlay shows; it keeps what it has');
    });
  }
}
