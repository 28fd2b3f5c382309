/** Twitch's ids of some games; other games get an id derived from their name. */
const knownIds: Record<string, string> = {
  'Counter-Strike': '32399',
  'Dota 2': '29595',
  'Team Fortress 2': '16676',
  Rust: '263490',
  'Just Chatting': '509658',
};

/** The id of a game (category); empty without a game. */
export function gameId(name: string): string {
  if (name === '') return '';
  const known = knownIds[name];
  if (known) return known;
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 900_000_000;
  return String(1_000_000_000 + hash);
}

export const knownGames: readonly string[] = Object.keys(knownIds);
