/** More refused texts than this are forgotten: they are only tried again. */
const REMEMBERED = 1000;

export type RefusedWords = ReturnType<typeof trackRefusedWords>;

/** Remembers which words AutoMod has refused, so that each is tried once, and those after it from then on. */
export function trackRefusedWords() {
  const refused = new Set<string>();
  return {
    add(words: string): void {
      if (refused.size >= REMEMBERED) refused.clear();
      refused.add(words);
    },
    /** Picks the first that was not refused. Once all were, they are forgotten, and may be tried again later. */
    pick(candidates: readonly [string, ...string[]]): string {
      const left = candidates.find((words) => !refused.has(words));
      if (left !== undefined) return left;
      for (const words of candidates) refused.delete(words);
      return candidates[0];
    },
    /** Returns whether one of these has not been refused yet. */
    anyLeft: (candidates: readonly string[]): boolean => candidates.some((words) => !refused.has(words)),
  };
}
