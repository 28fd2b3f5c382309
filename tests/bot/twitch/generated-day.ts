import { hour, minute, second } from '#domain/kernel/time.ts';

export interface Span {
  fromMs: number;
  untilMs: number;
}

/** One person's stay in the chat, as it was and as Twitch's list shows it: both ends appear there later. */
export interface Visit extends Span {
  listed: Span;
}

export interface DayViewer {
  twitchId: string;
  login: string;
  renamed: { login: string; atMs: number } | null;
  visits: Visit[];
}

export interface DayStream extends Span {
  streamId: string;
  /** Spans in which it dropped out briefly and came back under the same id. */
  flaps: Span[];
}

export type Outage = Span & { kind: 'unavailable' | 'permissionLost' };

/** A channel's events from noon to the next early morning. */
export interface GeneratedDay {
  untilMs: number;
  streams: DayStream[];
  viewers: DayViewer[];
  outages: Outage[];
  /** Spans in which no bot is running. */
  restarts: Span[];
}

export type Random = () => number;

/** Random numbers determined by the seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = (random: Random, low: number, high: number) => Math.round(low + random() * (high - low));
const within = (random: Random, span: Span, lengthMs: number): Span => {
  const fromMs = between(random, span.fromMs, Math.max(span.fromMs, span.untilMs - lengthMs));
  return { fromMs, untilMs: fromMs + lengthMs };
};

const VIEWERS = 150;

/** Three streams, the last one across midnight; the list lags by up to `lagMs`, each time differently. */
export function generateDay(seed: number, startMs: number, lagMs: number): GeneratedDay {
  const random = randomOf(seed);
  const at = (hours: number) => Math.round(startMs + hours * hour) + between(random, 0, 10 * minute);
  const streams = (
    [
      [0.2, 4.3],
      [6, 7],
      [10, 13.3],
    ] as const
  ).map(([from, until], place) => {
    const span = { fromMs: at(from), untilMs: at(until) };
    return { ...span, streamId: `s${place + 1}`, flaps: flapsOf(random, span) };
  });
  const [early, short, late] = streams as [DayStream, DayStream, DayStream];
  return {
    untilMs: startMs + 14 * hour,
    streams,
    viewers: Array.from({ length: VIEWERS }, (_, place) => viewerOf(random, place, streams, lagMs)),
    outages: [
      { ...within(random, early, between(random, 10 * second, 50 * second)), kind: 'unavailable' },
      { ...within(random, early, between(random, 4 * minute, 12 * minute)), kind: 'unavailable' },
      { ...within(random, late, between(random, 5 * minute, 15 * minute)), kind: 'permissionLost' },
      { fromMs: short.untilMs - 7 * minute, untilMs: short.untilMs + minute, kind: 'unavailable' },
    ],
    restarts: [
      within(random, early, between(random, 5 * second, 20 * second)),
      within(random, late, between(random, 4 * minute, 15 * minute)),
      // One stream starts while no bot is running.
      {
        fromMs: short.fromMs - 10 * minute,
        untilMs: short.fromMs + between(random, 3 * minute, 12 * minute),
      },
    ],
  };
}

function flapsOf(random: Random, stream: Span): Span[] {
  const lengthMs = stream.untilMs - stream.fromMs;
  const part = (from: number, until: number): Span => ({
    fromMs: Math.round(stream.fromMs + from * lengthMs),
    untilMs: Math.round(stream.fromMs + until * lengthMs),
  });
  return [
    within(random, part(0.2, 0.4), between(random, 8 * second, 45 * second)),
    within(random, part(0.5, 0.9), between(random, 2 * minute, 4 * minute)),
  ];
}

function viewerOf(random: Random, place: number, streams: readonly DayStream[], lagMs: number): DayViewer {
  const login = `demo_viewer_${place}`;
  const visits = streams.flatMap((stream) => (random() < 0.6 ? visitsOf(random, stream, lagMs) : []));
  const renames = random() < 0.1;
  const atMs = between(random, streams[0]?.fromMs ?? 0, streams[2]?.untilMs ?? 0);
  return {
    twitchId: String(70_000 + place),
    login,
    renamed: renames ? { login: `demo_other_${place}`, atMs } : null,
    visits,
  };
}

/** Some are there before and after the stream, most for a part of it, some twice. */
function visitsOf(random: Random, stream: Span, lagMs: number): Visit[] {
  const whole = { fromMs: stream.fromMs - 5 * minute, untilMs: stream.untilMs + 5 * minute };
  if (random() < 0.15) return [listedVisit(random, whole, lagMs)];
  const one = within(random, whole, between(random, 2 * minute, stream.untilMs - stream.fromMs));
  const rest = { fromMs: one.untilMs + 5 * minute, untilMs: whole.untilMs };
  const again = random() < 0.3 && rest.untilMs - rest.fromMs > 10 * minute;
  const spans = again ? [one, within(random, rest, between(random, 2 * minute, 10 * minute))] : [one];
  return spans.map((span) => listedVisit(random, span, lagMs));
}

function listedVisit(random: Random, { fromMs, untilMs }: Span, lagMs: number): Visit {
  const listedFromMs = fromMs + random() * lagMs;
  const listedUntilMs = Math.max(listedFromMs, untilMs + random() * lagMs);
  return { fromMs, untilMs, listed: { fromMs: listedFromMs, untilMs: listedUntilMs } };
}
