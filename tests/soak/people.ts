import type { Database } from '#db/database.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { DemoPanel, type World } from '../../cli/demo/panel.ts';
import { settle, settleChatAccount } from '../../cli/demo/people.ts';
import type { WorldPanel } from './panel.ts';

/** A person with an account here, on Twitch and on Steam. */
export interface Person {
  userId: string;
  login: string;
  twitchId: string;
  steamId: string;
  /** An API token. */
  token: string;
}

export interface People {
  streamers: Person[];
  viewers: Person[];
  /** Users on Twitch only. */
  strangers: string[];
  tradeBots: string[];
}

/** Dependencies to sign people up and reconnect them. */
export interface Around {
  db: Database;
  vault: Vault;
  panelUrl: string;
  panel: WorldPanel;
  twitch: { authUrl: string; clientId: string };
  chatLogin: string;
}

/**
 * Pieces of each of these kinds that every streamer has: two games, one with Trade Protection. Kinds enough to deposit
 * others while the last reading of the inventory still shows what has just left it.
 */
const PIECES = 20;
export const givenKinds = { 730: 4, 440: 2 } as const;

/** Creates streamers and viewers on both platforms, and signs them up normally. The bot must not run yet. */
export async function makePeople(
  around: Around,
  amounts: { streamers: number; viewers: number },
): Promise<People> {
  const names = [
    ...Array.from({ length: amounts.streamers }, (_, n) => `soak_streamer_${n + 1}`),
    ...Array.from({ length: amounts.viewers }, (_, n) => `soak_viewer_${n + 1}`),
  ];
  for (const name of names) {
    const broadcasterType = name.startsWith('soak_streamer') ? 'affiliate' : '';
    await around.panel.act('/twitch/users', { login: name, displayName: name, broadcasterType });
    await around.panel.act('/steam/users', { name });
  }
  const world = await new DemoPanel(around.panelUrl).get<World>('/world.json');
  await settleChatAccount({ ...around, world }, around.chatLogin);
  const people: Person[] = [];
  for (const name of names) people.push(await makePerson(around, world, name));
  const streamers = people.slice(0, amounts.streamers);
  await givePieces(around.panel, streamers);
  return {
    streamers,
    viewers: people.slice(amounts.streamers),
    strangers: world.twitch.users.flatMap(({ id, login }) => (login.startsWith('demo_viewer') ? [id] : [])),
    tradeBots: world.steam.users.flatMap(({ steamId, isBot }) => (isBot ? [steamId] : [])),
  };
}

async function makePerson(around: Around, world: World, name: string): Promise<Person> {
  const isStreamer = name.startsWith('soak_streamer');
  const { userId } = await settle({ ...around, world }, { name, login: name, steamName: name, isStreamer });
  const issued = await issueApiToken(around.db, { userId, name: 'Soak' }, world.nowMs);
  if (!issued.ok) throw new Error(`${name} got no key: ${issued.code}`);
  const twitchId = world.twitch.users.find(({ login }) => login === name)?.id ?? '';
  const steamId = world.steam.users.find((each) => each.name === name)?.steamId ?? '';
  return { userId, login: name, twitchId, steamId, token: issued.token };
}

async function givePieces(panel: WorldPanel, streamers: readonly Person[]): Promise<void> {
  const { kinds } = await panel.get<{ kinds: { kind: string; tradable: boolean }[] }>(
    '/steam/catalogue.json',
  );
  for (const [game, amount] of Object.entries(givenKinds)) {
    const ofGame = kinds.filter(({ kind, tradable }) => tradable && kind.startsWith(`${game}/`));
    for (const { kind } of ofGame.slice(0, amount))
      for (const { steamId } of streamers)
        await panel.act(`/steam/users/${steamId}/give`, { kind, count: PIECES });
  }
}
