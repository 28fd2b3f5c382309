import { type Act, countActs, movedTransfers } from '../soak/acts.ts';
import type { Stage } from '../soak/stage.ts';
import type { ClusterRecord } from './mishaps.ts';
import { mishapKinds } from './mishaps.ts';

/** A run of this many minutes has time for all of this; a shorter one is a try-out. */
export const WHOLE_MINUTES = 2;

/** The least that has to happen for a run without violations to prove something. */
const least = {
  'deposits accepted': 8,
  claims: 15,
  deliveries: 10,
  redeemed: 20,
  'chat answers': 20,
  'answers as done': 50,
  'requests in rolling restarts': 100,
  'requests in the upgrade': 150,
} as const;
type Kind = keyof typeof least;
type Counts = Record<Kind, number>;

/** Counts what happened by kind. */
export async function countHappened(
  stage: Stage,
  { rolling, upgrade }: ClusterRecord,
  { answers, acknowledged }: { answers: number; acknowledged: number },
): Promise<Counts> {
  const acts: Record<Act, number> = countActs(stage.tally.toJSON(), await movedTransfers(stage));
  return {
    'deposits accepted': acts['deposits accepted'],
    claims: acts.claims,
    deliveries: acts.deliveries,
    redeemed: acts.redeemed,
    'chat answers': answers,
    'answers as done': acknowledged,
    'requests in rolling restarts': rolling.requests,
    'requests in the upgrade': upgrade.requests,
  };
}

/** Lists what happened too seldom, and the mishaps that never did. */
export const missingIn = (counts: Counts, { mishaps }: ClusterRecord): string[] => [
  ...mishapKinds.filter((kind) => mishaps[kind] === 0),
  ...(Object.keys(least) as Kind[]).flatMap((kind) =>
    counts[kind] < least[kind] ? [`${kind}: ${counts[kind]} of at least ${least[kind]}`] : [],
  ),
];
