import { setTimeout as delay } from 'node:timers/promises';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import { knownBots } from '#bot/twitch/channel/known-bots.ts';
import { second } from '#domain/kernel/time.ts';
import { announceElsewhere } from '#domain/raffle/announce-elsewhere.ts';
import { isEntry } from '#domain/raffle/keyword.ts';
import { type AwaitedKeyword, listAwaitedKeywords } from '#domain/raffle/read-running.ts';
import { type Entrant, recordEntries } from '#domain/raffle/record-entries.ts';
import { runRaffles, SERVE_EVERY_MS } from '#domain/raffle/run-raffles.ts';

type Deps = Pick<LeasedDeps, 'db' | 'clock' | 'log' | 'lease'> & { botLogins: readonly string[] };

/** Entries are gathered for this long, and written together. Steady time. */
const GATHER_MS = 500;
/** Entries that are written at once. */
const BATCH = 1000;
/** A stop waits at most this long for the last entries. */
const FINISH_WITHIN_MS = 5 * second;
/** No channel has as many viewers who write within the moments that a database may be away. */
const MAX_WAITING = 50_000;

interface Waiting extends Entrant {
  raffleId: string;
  channelId: string;
}

/**
 * Entries that wait to be written, also after the lease: nobody else has them. Those that could not be written stay, and
 * are tried again.
 */
function entryBuffer({ lease, clock, log }: Omit<Deps, 'db' | 'botLogins'>) {
  let waiting: Waiting[] = [];
  let isFull = false;
  let writing: Promise<ReadonlySet<string>> | null = null;
  let timer: NodeJS.Timeout | null = null;

  /** Writes what waits. What fails stays, holds no other raffle up, and is named in the answer. */
  const write = async (): Promise<ReadonlySet<string>> => {
    const failed = new Set<string>();
    for (;;) {
      const next = waiting.find(({ raffleId }) => !failed.has(raffleId));
      if (!next) return failed;
      const { raffleId, channelId } = next;
      const batch = waiting.filter((each) => each.raffleId === raffleId).slice(0, BATCH);
      const entrants = batch.map(({ twitchId, name, enteredAtMs }) => ({ twitchId, name, enteredAtMs }));
      try {
        await recordEntries(lease.store, { raffleId, channelId, entrants }, clock.now());
      } catch (error) {
        failed.add(raffleId);
        log.error({ err: error, raffleId, entries: batch.length }, 'entries could not be written yet');
        continue;
      }
      const written = new Set(batch);
      waiting = waiting.filter((each) => !written.has(each));
      isFull = false;
    }
  };
  const flush = (): Promise<ReadonlySet<string>> => {
    if (timer) clearTimeout(timer);
    timer = null;
    writing ??= write().finally(() => {
      writing = null;
    });
    return writing;
  };
  const flushLater = (): void => {
    timer ??= setTimeout(async () => {
      timer = null;
      if ((await flush()).size > 0) flushLater();
    }, GATHER_MS);
  };

  return {
    push(entry: Waiting): void {
      if (waiting.length >= MAX_WAITING) {
        if (!isFull) log.error({ entries: waiting.length }, 'further entries of raffles are lost');
        isFull = true;
        return;
      }
      waiting.push(entry);
      flushLater();
    },
    /** Writes what waits. Returns the raffles some of whose entries wait on. */
    flush,
    async finish(): Promise<void> {
      await Promise.race([flush(), delay(FINISH_WITHIN_MS, undefined, { ref: false })]);
      if (timer) clearTimeout(timer);
      if (waiting.length > 0) log.error({ entries: waiting.length }, 'the last entries of raffles are lost');
    },
  };
}

/**
 * Listens for the keywords of running raffles, and takes raffles further: closes their lists, draws, and serves places.
 * Entries are gathered in memory and written in batches; those of the last half second are lost with the process.
 */
export function gatherEntries({ db, clock, log, lease, botLogins }: Deps) {
  const bots = new Set(knownBots.flatMap(({ twitchId }) => twitchId ?? []));
  // An account's id decides where it is known, because a login can pass to a person.
  const named = knownBots.flatMap(({ twitchId, login }) => (twitchId === null ? login : []));
  const logins = new Set([...named, ...botLogins].map((each) => each.toLowerCase()));
  const buffer = entryBuffer({ lease, clock, log });
  let awaited: ReadonlyMap<string, AwaitedKeyword> = new Map();
  /** The raffles of which this process asked already; whether another one said it is in the database. */
  const announcedElsewhere = new Set<string>();

  let servedAt = Number.NEGATIVE_INFINITY;
  /** Returns whether drawn raffles are looked at again. A round follows every change of any data. */
  const servesNow = (): boolean => {
    const isDue = performance.now() - servedAt >= SERVE_EVERY_MS;
    if (isDue) servedAt = performance.now();
    return isDue;
  };

  const mayEnter = ({ twitchId, login, isModerator }: ChatMessage, raffle: AwaitedKeyword): boolean =>
    !bots.has(twitchId) && !logins.has(login.toLowerCase()) && (raffle.moderatorsMayEnter || !isModerator);

  return {
    awaits(channelId: string, text: string): boolean {
      const raffle = awaited.get(channelId);
      return raffle !== undefined && isEntry(text, raffle.keywordKey);
    },
    /** Says once for each raffle that lines from other channels of a shared chat do not enter. */
    elsewhere(channelId: string): void {
      const raffle = awaited.get(channelId);
      if (!raffle || announcedElsewhere.has(raffle.raffleId)) return;
      announcedElsewhere.add(raffle.raffleId);
      announceElsewhere(db, raffle, { nowMs: clock.now(), systemMs: Date.now() }).catch((error) =>
        log.error({ err: error, channelId }, 'could not say where a raffle is entered'),
      );
    },
    /** Takes an entry. Returns false if the message is none. */
    take(message: ChatMessage): boolean {
      const raffle = awaited.get(message.channelId);
      if (!raffle || !isEntry(message.text, raffle.keywordKey)) return false;
      const { twitchId, displayName: name, channelId, sentAtMs } = message;
      // Twitch's time of the line by the domain's clock, which may stand elsewhere than the system's.
      const enteredAtMs = clock.now() - (Date.now() - sentAtMs);
      if (mayEnter(message, raffle))
        buffer.push({ raffleId: raffle.raffleId, channelId, twitchId, name, enteredAtMs });
      return true;
    },
    /** Learns what to listen for, and takes raffles as far as they can go. Returns the milliseconds until the next round. */
    async run(): Promise<number | null> {
      const listed = await listAwaitedKeywords(db.read);
      awaited = new Map(listed.map((each) => [each.channelId, each]));
      for (const id of announcedElsewhere)
        if (!listed.some(({ raffleId }) => raffleId === id)) announcedElsewhere.delete(id);
      const unwritten = await buffer.flush();
      return runRaffles(db, clock.now(), {
        unwritten,
        serves: servesNow(),
        onError: (error, raffleId) =>
          log.error({ err: error, raffleId }, 'a raffle could not be taken further'),
      });
    },
    finish: buffer.finish,
  };
}
