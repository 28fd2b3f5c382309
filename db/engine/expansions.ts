import type { MigrationMeta } from 'drizzle-orm/migrator';

/** The name of the lock that a migration has alone. A process that begins needs it for a moment, together with others. */
export const MIGRATION_LOCK = 'keepsake migrations';

/**
 * Returns whether processes of the version before run beside what a step makes: it begins with this line. All others
 * change what those rely on.
 */
export const isExpansion = ({ sql }: Pick<MigrationMeta, 'sql'>): boolean =>
  /^\s*-- expands\n/.test(sql[0] ?? '');

/**
 * Counts recorded steps that a version must know whose newest is this one: not those that a newer version only added
 * something with.
 */
export const countRequiredBy = (newest: number, steps: readonly Record<string, unknown>[]): number =>
  steps.filter(({ created_at, expands }) => !(Number(created_at) > newest && expands)).length;
