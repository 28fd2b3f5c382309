import type { Supervisor } from './supervisor.ts';

/**
 * Lists everything web and bot would reject about these variables, before anything starts, so that all faults are
 * reported at once. A variable both processes read is reported once.
 */
export async function checkSettings(
  supervisor: Supervisor,
  environments: Record<'web' | 'bot', Record<string, string | undefined>>,
): Promise<string[]> {
  const checked = await Promise.all([
    supervisor.run('check-web', environments.web),
    supervisor.run('check-bot', environments.bot),
  ]);
  const lines = checked.filter(({ ok }) => !ok).flatMap(({ output }) => output.trim().split('\n'));
  return oncePerVariable(lines);
}

/** Each line starts with the variable it is about. */
export function oncePerVariable(lines: readonly string[]): string[] {
  const byVariable = new Map<string, string>();
  for (const line of lines) {
    const variable = line.split(' ', 1)[0] ?? '';
    if (!byVariable.has(variable)) byVariable.set(variable, line);
  }
  return [...byVariable.values()];
}
