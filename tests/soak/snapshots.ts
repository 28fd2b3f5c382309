import { checkInvariants } from '#tests/support/invariants.ts';
import type { Actor } from './actor.ts';
import type { Stage } from './stage.ts';

/** Checks invariants that hold after every commit, on snapshots of the database. */
export function snapshots(stage: Stage, violations: Set<string>): Actor {
  const chance = stage.chanceOf('snapshots');
  return {
    name: 'snapshots',
    pauseMs: () => chance.between(5000, 10_000),
    async act() {
      const violation = await checkStore(stage, new Map());
      if (violation) violations.add(violation);
      stage.tally.note('snapshot');
    },
  };
}

/** Null when the database is consistent. `received`: how many items each owner has handed over in all, if known. */
export async function checkStore(
  { store, panel, hostClock }: Stage,
  received: ReadonlyMap<string, number>,
): Promise<string | null> {
  const db = await store.snapshot();
  try {
    // A promise made while the host's clock was ahead was due by that clock.
    await checkInvariants(db, panel.nowMs() + hostClock.maxAheadMs, received);
    return null;
  } catch (error) {
    return `the store: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await db.close();
  }
}
