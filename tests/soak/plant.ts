import { compare } from './compare.ts';
import { plantable } from './faults.ts';
import type { Stage } from './stage.ts';
import { Tally } from './tally.ts';

export type PlantedOutcome = 'found' | 'not found' | 'nothing to break';

/**
 * Breaks one thing after another, each undone before the next, and compares again. A comparison without findings proves
 * something only if it finds these. The processes must have ended.
 */
export async function findPlanted(
  stage: Stage,
  enter: (phase: string) => void,
): Promise<Record<string, PlantedOutcome>> {
  const looking = { ...stage, tally: new Tally() };
  const before = new Set(await compare(looking));
  const outcomes: Record<string, PlantedOutcome> = {};
  for (const [name, plant] of Object.entries(plantable)) {
    enter(`plants the fault ${name}`);
    const planted = await plant(looking);
    if (!planted) {
      outcomes[name] = 'nothing to break';
      continue;
    }
    const findings = (await compare(looking)).filter((finding) => !before.has(finding));
    outcomes[name] = findings.some((finding) => finding.includes(planted.names)) ? 'found' : 'not found';
    await planted.undo();
  }
  return outcomes;
}
