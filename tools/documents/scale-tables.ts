// The load model of docs/scale.md: measured costs, and the tables that follow from them. `npm run docs:scale` writes them.

/** Measured on two shared cores; docs/scale.md names the benchmarks. CPU time in milliseconds unless the name says else. */
const costs = {
  /** Asking Twitch for a chat of 500 and reading the answer, in the bot. */
  chatCallMs: 5.3,
  /** Recording it, of whom a twentieth changes: bot and PostgreSQL together. */
  chatRecordMs: 1.24,
  chatLogKb: 18,
  /** A page of a hundred followers or subscribers: the bot, and PostgreSQL. */
  listPageMs: 8.9,
  listPageStoreMs: 6.6,
  listPageLogKb: 33,
  pageIdleUs: 7,
  countedUs: 220,
  /** A page that is loaded again by itself. */
  pageLoadMs: 4,
  latePressMs: 2.4,
  webMb: 170,
  botMb: 210,
  openPageKb: 80,
  channelKb: 1,
  presentBytes: 110,
} as const;

/** Twitch's limits and the product's own intervals. */
const CHATTERS = 500;
const POINTS_A_MINUTE = 800;
const TOPICS_OF_CHANNEL = 10;
/** Lists of followers and subscribers: pages of each that asks for them, every four hours. */
const LIST_PAGES = 20;
const LISTS_EVERY_S = 4 * 3600;
const LIST_PLACES = 15;
const LIST_CALL_S = 0.12;
const RELOAD_EVERY_S = 600;
/** The share of its thread that a process may use on average. */
const FULL = 0.6;
const TAKEOVER_S = 15;
const MAX_INTERVAL_S = 150;

const figure = (value: number): string =>
  new Intl.NumberFormat(
    'en',
    value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 },
  ).format(value);
const percent = (share: number): string => `${figure(share * 100)} %`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The costs of live channels, by their number. */
function ofChannels(numbers: readonly number[]): string {
  const { chatCallMs, chatRecordMs, chatLogKb, channelKb, presentBytes, botMb } = costs;
  const { listPageMs, listPageStoreMs, listPageLogKb } = costs;
  const listPages = (live: number) => (live * LIST_PAGES) / LISTS_EVERY_S;
  const rows: [string, (live: number) => string][] = [
    ['cores for their chats', (live) => figure((live * (chatCallMs + chatRecordMs)) / 60_000)],
    ['PostgreSQL’s log, MB/s', (live) => figure((live * chatLogKb) / 60_000)],
    ['pages of lists a second, if all need them', (live) => figure(listPages(live))],
    ['share of their places', (live) => percent(listPages(live) / (LIST_PLACES / LIST_CALL_S))],
    ['share of the one thread that reads them', (live) => percent((listPages(live) * listPageMs) / 1000)],
    ['cores of PostgreSQL for them', (live) => figure((listPages(live) * listPageStoreMs) / 1000)],
    ['its log for them, MB/s', (live) => figure((listPages(live) * listPageLogKb) / 1000)],
    [
      'memory of all bots, MB, three processes',
      (live) => figure(3 * botMb + (live * (2 * channelKb * 1000 + CHATTERS * presentBytes)) / 1e6),
    ],
    ['application’s points a minute, of 800', (live) => figure(live / 100 + live / 6000)],
    [
      'minutes until all events are subscribed the first time',
      (live) => figure((live * TOPICS_OF_CHANNEL) / (POINTS_A_MINUTE - live / 100)),
    ],
  ];
  return table(
    ['live channels of 500 chatters', ...numbers.map(figure)],
    rows.map(([name, of]) => [name, ...numbers.map(of)]),
  );
}

/** The costs of open pages for the web, by their number. */
function ofPages(numbers: readonly number[]): string {
  const { pageIdleUs, countedUs, pageLoadMs, openPageKb, webMb, latePressMs } = costs;
  const idle = (pages: number) => (pages * pageIdleUs) / 1e6;
  const counted = (pages: number) => (pages * countedUs) / 60e6;
  const reloads = (pages: number) => (pages / RELOAD_EVERY_S) * (pageLoadMs / 1000);
  const all = (pages: number) => idle(pages) + counted(pages) + reloads(pages);
  const processes = (pages: number) => Math.max(1, Math.ceil(all(pages) / FULL));
  const rows: [string, (pages: number) => number][] = [
    ['cores while nothing happens', idle],
    ['cores for minutes that are counted on one channel each', counted],
    ['cores for loading again every ten minutes', reloads],
    ['web processes', processes],
    ['memory of web, GB', (pages) => (processes(pages) * webMb + (pages * openPageKb) / 1000) / 1000],
    [
      'cores for a minute in which a tenth presses “Claim”',
      (pages) => (pages / 10 / 60) * (latePressMs / 1000),
    ],
  ];
  return table(
    ['open pages', ...numbers.map(figure)],
    rows.map(([name, of]) => [name, ...numbers.map((pages) => figure(of(pages)))]),
  );
}

interface Due {
  dueS: number;
  lastS: number;
}

interface Run {
  channels: number;
  bots: number;
  minutes: number;
  killedAtS: number;
}

/**
 * Simulates bots that read chats one after another, each a minute after its last reading, while one of them is killed:
 * its channels wait for its leases to end and are then the others'. Returns the intervals between readings, in seconds,
 * before and after.
 */
export function simulateReadings({ channels, bots, minutes, killedAtS }: Run) {
  const readingS = (costs.chatCallMs + costs.chatRecordMs / 2) / 1000;
  const queues = Array.from({ length: bots }, (_, bot) =>
    Array.from(
      { length: channels },
      (_, channel): Due => ({ dueS: (channel / channels) * 60, lastS: (channel / channels) * 60 - 60 }),
    ).filter((_, channel) => channel % bots === bot),
  );
  const intervals = { before: [] as number[], after: [] as number[] };
  const work = (queue: Due[], fromS: number, untilS: number): void => {
    let nowS = fromS;
    // A chat that was read first is due first again, so the queue stays in order.
    for (let next = 0; next < queue.length; next++) {
      const { dueS, lastS } = queue[next] as Due;
      const startS = Math.max(nowS, dueS);
      if (startS >= untilS) {
        queue.splice(0, next);
        return;
      }
      intervals[startS < killedAtS ? 'before' : 'after'].push(startS - lastS);
      queue.push({ dueS: startS + 60, lastS: startS });
      nowS = startS + readingS;
    }
  };
  for (const queue of queues) work(queue, 0, killedAtS);
  const [killed = [], ...others] = queues;
  for (const queue of others) work(queue, killedAtS, killedAtS + TAKEOVER_S);
  for (const [place, due] of killed.entries()) others[place % others.length]?.push(due);
  for (const queue of others)
    work(
      queue.sort((one, other) => one.dueS - other.dueS),
      killedAtS + TAKEOVER_S,
      minutes * 60,
    );
  return { ...intervals, busy: (channels * readingS) / bots / 60 };
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? 0;

/** The intervals between two readings of a chat when one of several bots is killed. */
function ofBots(channels: number, numbers: readonly number[]): string {
  const rows = numbers.map((bots) => {
    const { before, after, busy } = simulateReadings({ channels, bots, minutes: 20, killedAtS: 600 });
    const late = after.filter((interval) => interval > MAX_INTERVAL_S).length;
    return [
      figure(bots),
      percent(busy),
      ...[quantile(before, 0.9), quantile(after, 0.9), quantile(after, 1), late].map(figure),
    ];
  });
  return table(['bots', 'busy, each', 'p90 before, s', 'p90 after, s', 'longest, s', 'gaps'], rows);
}

/** The tables by the names that the document gives them. */
export const scaleTables = (): Record<string, string> => ({
  channels: ofChannels([10, 1_000, 10_000]),
  bots: ofBots(10_000, [2, 3, 4, 6]),
  pages: ofPages([1_000, 100_000, 1_000_000]),
});

/** The document with the tables of today in it. */
export function withTables(document: string): string {
  return Object.entries(scaleTables()).reduce(
    (text, [name, rows]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`),
        (_, head: string, end: string) => `${head}\n${rows}\n\n${end}`,
      ),
    document,
  );
}
