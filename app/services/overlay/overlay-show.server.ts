import { processLog } from '#app/http/logger.server.ts';
import type { Door, Notice, Setup, ShownBoard, ShownMoment } from '#app/overlay/protocol.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { listenFor } from '#app/services/live-events.server.ts';
import type { LiveEvent } from '#domain/outbox/read-events.ts';
import { findOverlayOf, type Overlay } from '#domain/overlay/overlay.ts';
import {
  type Closest,
  findShownRule,
  readClosest,
  readShownPools,
  type ShownPool,
  type ShownRule,
} from '#domain/overlay/read-board.ts';
import { type Moment, readMoments } from '#domain/overlay/read-moments.ts';
import { readShownRaffle, type ShownRaffle } from '#domain/overlay/read-shown-raffle.ts';
import { jsonOf } from './notice-json.server.ts';
import { together } from './together.server.ts';
import { viewerTurns } from './viewer-turns.server.ts';

/** Events that come together are read together. */
const TOGETHER_MS = 20;
/** Rules and raffles follow a burst of changes a moment later, once. */
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

const shownMoment = ({ atMs: _, userId: __, twitchId: ___, ...moment }: Moment): ShownMoment => moment;

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

const nobody: Closest = { next: [], ids: [], namedIds: [] };
const noCells: ShownPool = { given: 0, pending: 0, free: 0 };

/**
 * Reads the rewards of all shows that changed, with a query for their moments and one for their pools. A pool and the
 * moment behind it follow each other at once, so that a page gets both in one write.
 */
const readRewards = together<{ show: OverlayShow; eventId: string }>(TOGETHER_MS, async (changed) => {
  const byId = new Map(changed.map(({ show, eventId }) => [eventId, show]));
  const moments = await readMoments(await database(), [...byId.keys()]);
  await readPools(new Set(byId.values()));
  for (const moment of moments) byId.get(moment.id)?.showMoment(moment);
});

async function readPools(shows: Iterable<OverlayShow>): Promise<void> {
  const open = [...shows];
  const pools = await readShownPools(
    await database(),
    open.flatMap(({ rule }) => rule?.id ?? []),
  );
  for (const show of open) show.setPool(pools.get(show.rule?.id ?? '') ?? noCells);
}

const readRules = together<OverlayShow>(SETTLED_MS, async (shows) => {
  for (const show of shows) if (!show.isEmpty) await show.readAll();
});
const readRaffles = together<OverlayShow>(SETTLED_MS, async (shows) => {
  for (const show of shows) if (!show.isEmpty) await show.readRaffle().catch(reportUnread);
});

/** The show of one streamer's open overlays and docks: read once for all of them, which are told when it changes. */
export class OverlayShow {
  readonly #pages = new Set<Page>();
  readonly #listening: { stop: () => void; begun: Promise<void> };
  #overlay: Overlay;
  #rule: ShownRule | null = null;
  #pool = noCells;
  #closest = nobody;
  #raffle: ShownRaffle | null = null;
  /** The number of the last reading of the raffle that began. */
  #raffleReading = 0;
  #boardText = '';
  #isRead = false;

  constructor(overlay: Overlay) {
    this.#overlay = overlay;
    this.#listening = listenFor(overlay.userId, (event) => this.#handle(event));
  }

  get begun(): Promise<void> {
    return this.#listening.begun;
  }

  get rule(): ShownRule | null {
    return this.#rule;
  }

  /** The channel on whose streams viewers come closer; null if the overlay shows nothing of them. */
  get channelId(): string | null {
    return (this.#isAboutViewers && this.#rule?.channelId) || null;
  }

  /** The Twitch ids of the viewers whom the board names. */
  get namedIds(): readonly string[] {
    return this.#closest.namedIds;
  }

  get hasRaffle(): boolean {
    return this.#raffle !== null;
  }

  get isEmpty(): boolean {
    return this.#pages.size === 0;
  }

  get #isAboutViewers(): boolean {
    return this.#overlay.layout.goal !== null || this.#overlay.layout.next !== null;
  }

  /** Adds a page, so that the show goes on while it is there. */
  enter(page: Page, overlay: Overlay): void {
    this.#overlay = overlay;
    this.#pages.add(page);
  }

  /** Tells a page how things stand. `id` is the place from which its stream goes on. */
  async begin(page: Page, id: string): Promise<void> {
    if (!this.#isRead) await this.readAll();
    page.notify({ kind: 'setup', setup: setupOf(this.#overlay) }, id);
    if (page.door === 'overlay') page.notify({ kind: 'board', board: this.#shownBoard() });
    page.notify(await this.#raffleNotice());
  }

  remove(page: Page): void {
    this.#pages.delete(page);
    if (this.isEmpty) this.#listening.stop();
  }

  /** Tells a page the moments of these events that it missed. */
  async catchUp(page: Page, missed: readonly LiveEvent[]): Promise<void> {
    for (const moment of await this.#momentsOf(page.door, missed))
      page.notify({ kind: 'moment', moment }, moment.id);
  }

  /** Tells the pages of another secret than these that it was replaced. */
  dismiss(hashes: Overlay['hashes'] | null): void {
    for (const page of [...this.#pages])
      if (page.hash !== hashes?.[page.door]) {
        this.#pages.delete(page);
        page.notify({ kind: 'gone' });
      }
  }

  setPool(pool: ShownPool): void {
    this.#pool = pool;
    this.#notifyBoard();
  }

  showMoment(moment: Moment): void {
    // One of the closest is in line no more.
    if (this.#closest.ids.includes(moment.twitchId)) this.readViewersSoon();
    if (this.#overlay.stoppedAtMs === null)
      this.#notify({ kind: 'moment', moment: shownMoment(moment) }, undefined, moment.id);
  }

  /** Names only these viewers from now on, without waiting for a turn. */
  hideOthers(named: ReadonlyMap<string, string>): void {
    const { next, ids, namedIds } = this.#closest;
    this.#closest = {
      ids,
      next: next.map((viewer, place) => (named.has(ids[place] ?? '') ? viewer : { ...viewer, name: null })),
      namedIds: namedIds.filter((id) => named.has(id)),
    };
    this.#notifyBoard();
  }

  /** Reads the viewers once it is this show's turn. */
  readViewersSoon(): void {
    viewerTurns.add(this);
  }

  async readViewers(): Promise<void> {
    if (this.isEmpty) return;
    const rule = this.#isAboutViewers ? this.#rule : null;
    this.#closest = rule ? await readClosest(await database(), rule, await domainNow()) : nobody;
    this.#notifyBoard();
  }

  /** Reads which rule and which raffle are shown, and everything about them. */
  async readAll(): Promise<void> {
    const { read } = await database();
    const { layout } = this.#overlay;
    const hasBoard = layout.pool || layout.goal || layout.next;
    const rule = hasBoard ? await findShownRule(read, this.#overlay) : null;
    if (rule?.id !== this.#rule?.id) this.#closest = nobody;
    this.#rule = rule;
    await readPools([this]);
    this.readViewersSoon();
    await this.readRaffle();
    this.#isRead = true;
  }

  /**
   * Reads the raffle, and tells the pages while there is one: time passes and viewers enter without an event. Docks also
   * have those that are prepared, and read them themselves.
   */
  async readRaffle(): Promise<void> {
    const reading = ++this.#raffleReading;
    const raffle = await readShownRaffle((await database()).read, this.#overlay, await domainNow());
    // A later reading began meanwhile, and knows more.
    if (reading !== this.#raffleReading) return;
    const had = this.#raffle;
    this.#raffle = raffle;
    this.#notify(await this.#raffleNotice(), had || this.#raffle ? undefined : 'dock');
  }

  #shownBoard(): ShownBoard | null {
    if (!this.#rule || this.#overlay.stoppedAtMs !== null) return null;
    return { ruleName: this.#rule.name, pool: this.#pool, next: this.#closest.next };
  }

  #notifyBoard(): void {
    const notice: Notice = { kind: 'board', board: this.#shownBoard() };
    const text = jsonOf(notice);
    if (text === this.#boardText) return;
    this.#boardText = text;
    this.#notify(notice, 'overlay');
  }

  async #raffleNotice(): Promise<Notice> {
    if (!this.#raffle || this.#overlay.stoppedAtMs !== null) return { kind: 'raffle', raffle: null };
    const { endsAtMs, ...raffle } = this.#raffle;
    return { kind: 'raffle', raffle: { ...raffle, leftMs: (endsAtMs ?? 0) - (await domainNow()) } };
  }

  #notify(notice: Notice, door?: Door, id?: string): void {
    for (const page of [...this.#pages])
      if (door === undefined || page.door === door) page.notify(notice, id);
  }

  #handle(event: LiveEvent): void {
    if (event.kind === 'overlay.changed') this.#readOverlay().catch(reportUnread);
    else if (event.kind === 'overlay.tested')
      this.#notify(
        { kind: 'moment', moment: madeUpMoment(event.id, this.#overlay.locale) },
        'overlay',
        event.id,
      );
    else if (event.kind === 'reward.changed') {
      readRewards({ show: this, eventId: event.id });
      if (this.hasRaffle) readRaffles(this);
    } else if (event.kind === 'rule.changed') readRules(this);
  }

  async #momentsOf(door: Door, missed: readonly LiveEvent[]): Promise<ShownMoment[]> {
    if (this.#overlay.stoppedAtMs !== null) return [];
    const { locale } = this.#overlay;
    const eventIds = missed.filter(({ kind }) => kind === 'reward.changed').map(({ id }) => id);
    const happened = (await readMoments(await database(), eventIds)).map(shownMoment);
    const tests = missed
      .filter(({ kind }) => kind === 'overlay.tested' && door === 'overlay')
      .map(({ id }) => madeUpMoment(id, locale));
    return [...happened, ...tests].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async #readOverlay(): Promise<void> {
    const overlay = await findOverlayOf((await database()).read, this.#overlay.userId);
    this.dismiss(overlay?.hashes ?? null);
    if (!overlay) return;
    this.#overlay = overlay;
    this.#notify({ kind: 'setup', setup: setupOf(overlay) });
    this.#notifyBoard();
    await this.readAll();
  }
}

const reportUnread = (error: unknown): void => {
  processLog.warn({ err: error }, 'could not read what an overlay shows; it keeps what it has');
};
