import { vi } from 'vitest';

/** Returns the lines printed meanwhile, in order, errors too: the test has to check them. */
export async function printedDuring(work: (printed: string[]) => Promise<void>): Promise<string[]> {
  const printed: string[] = [];
  const spies = (['log', 'warn', 'error'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line) => void printed.push(String(line))),
  );
  try {
    await work(printed);
  } finally {
    for (const spy of spies) spy.mockReset();
  }
  return printed;
}
