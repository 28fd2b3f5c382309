import { type TransferKind, type TransferState, transfers } from '#db/schema/transfer.ts';
import type { Stage } from './stage.ts';

/** Kinds of acts that a run has to exercise. */
export const kindsOfActs = [
  'deposits requested',
  'deposits accepted',
  'returns requested',
  'returned',
  'claims',
  'deliveries',
  'cancelled by us',
  'declined',
  'reversed',
  'redeemed',
  'requests refused',
  'answers lost',
  'faults of Steam',
  'faults of Twitch',
  'kills of the bot',
  'kills of the web',
  'clock steps forwards',
  'clock steps back',
  'looks at the store',
] as const;
export type Act = (typeof kindsOfActs)[number];
export type Acts = Record<Act, number>;

/** A run of this many minutes has time for every kind; a shorter one is a try-out. */
export const WHOLE_MINUTES = 3;
const LEAST_DEPOSITS = 20;
const arrived: readonly TransferState[] = ['accepted', 'settled', 'reversed'];
/** Names of deeds whose refusals are the product's. */
const requests = ['attach', 'cancel', 'claim', 'closeRule', 'createRule', 'deposit', 'detach', 'return'];

export interface MovedTransfer {
  id: string;
  kind: TransferKind;
  state: TransferState;
}

/** Counts what took place by kind, from the tally of deeds and the transfers that began after the opening. */
export function countActs(tally: Record<string, number>, moved: readonly MovedTransfer[]): Acts {
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (tally[name] ?? 0), 0);
  const ended = (kind: TransferKind | null, states: readonly TransferState[]) =>
    moved.filter((each) => (kind === null || each.kind === kind) && states.includes(each.state)).length;
  const refused = Object.keys(tally).filter((name) => requests.some((deed) => name.startsWith(`${deed}: `)));
  return {
    'deposits requested': of('deposit'),
    'deposits accepted': ended('deposit', arrived),
    'returns requested': of('return'),
    returned: ended('return', arrived),
    claims: of('claim'),
    deliveries: ended('claim', arrived),
    'cancelled by us': ended(null, ['cancelled']),
    declined: of('offer: decline', 'offer: counter'),
    reversed: of('reverse'),
    redeemed: of('redeem'),
    'requests refused': of(...refused),
    'answers lost': of('trouble: lostAnswer'),
    'faults of Steam': of(
      'trouble: steam',
      'trouble: rateLimit',
      'trouble: steamDown',
      'trouble: steamSession',
    ),
    'faults of Twitch': of('trouble: twitch', 'trouble: sockets', 'trouble: duplicates', 'trouble: late'),
    'kills of the bot': of('kill: bot', 'kill: both'),
    'kills of the web': of('kill: web', 'kill: both'),
    'clock steps forwards': of('clock: forwards'),
    'clock steps back': of('clock: back'),
    'looks at the store': of('snapshot'),
  };
}

export const listActs = (acts: Acts): string =>
  kindsOfActs.flatMap((kind) => (acts[kind] > 0 ? [`${acts[kind]} ${kind}`] : [])).join(', ');

/** Lists the kinds that occurred too seldom to prove anything. */
export const missingActs = (acts: Acts): string[] =>
  kindsOfActs.flatMap((kind) => {
    const least = kind === 'deposits accepted' ? LEAST_DEPOSITS : 1;
    return acts[kind] < least ? [`${kind}: ${acts[kind]} of at least ${least}`] : [];
  });

/** Reads every transfer that was not there at the opening. */
export async function movedTransfers({ db, openingTransfers }: Stage): Promise<MovedTransfer[]> {
  const { id, kind, state } = transfers;
  const all = await db.read.select({ id, kind, state }).from(transfers);
  return all.filter((transfer) => !openingTransfers.has(transfer.id));
}
