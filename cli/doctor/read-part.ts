import {
  type ConfigurationPlan,
  type ConfigurationValues,
  type Environment,
  readConfiguration,
} from '#platform/configuration.ts';
import type { Omission } from './finding.ts';

/**
 * The settings that one area is examined with. If they are invalid, which `examineSettings` explains, the area cannot be
 * examined, and no other is affected.
 */
export function readPart<Plan extends ConfigurationPlan>(
  area: string,
  plan: Plan,
  environment: Environment,
): { ok: true; values: ConfigurationValues<Plan> } | { ok: false; omission: Omission } {
  const read = readConfiguration(plan, environment);
  if (read.ok) return read;
  const names = [...new Set(read.faults.map(({ variable }) => variable))];
  return {
    ok: false,
    omission: { area, because: `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} invalid` },
  };
}
