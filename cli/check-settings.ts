import type { Supervisor } from './supervisor.ts';

/** How each process checks its own variables; it prints a line per fault and ends, or says nothing. */
const checks = {
  web: "const { config } = await import('./app/config.server.ts'); config();",
  bot: "const { loadBotConfiguration } = await import('./bot/config.ts'); loadBotConfiguration();",
};

/**
 * What web and bot, each by its own rules, would find wrong with these variables: asked before anything starts, so that
 * all faults are told at once. A variable that both have is told of once.
 */
export async function checkSettings(
  supervisor: Supervisor,
  environment: Record<string, string | undefined>,
): Promise<string[]> {
  const checked = await Promise.all(
    Object.entries(checks).map(([name, code]) =>
      supervisor.run(`check-${name}`, ['--input-type=module', '--eval', code], environment),
    ),
  );
  const lines = checked.filter(({ ok }) => !ok).flatMap(({ output }) => output.trim().split('\n'));
  return oncePerVariable(lines);
}

/** A line begins with the variable that it is about. */
export function oncePerVariable(lines: readonly string[]): string[] {
  const byVariable = new Map<string, string>();
  for (const line of lines) {
    const variable = line.split(' ', 1)[0] ?? '';
    if (!byVariable.has(variable)) byVariable.set(variable, line);
  }
  return [...byVariable.values()];
}
