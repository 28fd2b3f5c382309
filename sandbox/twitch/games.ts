/** Twitch's own ids of some games; every other name gets an id that is derived from it. */
const knownIds: Record<string, string> = {
  'Counter-Strike': '32399',
  'Dota 2': '29595',
  'Team Fortress 2': '16676',
  Rust: '263490',
  'Just Chatting': '509658',
};

/** The id of a game (Twitch: category). No game has the empty id. */
export function gameId(name: string): string {
  if (name === '') return '';
  const known = knownIds[name];
  if (known) return known;
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 900_000_000;
  return String(1_000_000_000 + hash);
}

export const knownGames: readonly string[] = Object.keys(knownIds);
