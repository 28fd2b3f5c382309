import { randomBytes } from 'node:crypto';
import counterStrike from '../data/steam-inventory-730.json' with { type: 'json' };
import type { ItemKind, SteamLogin, SteamPerson } from './state.ts';
import { steamKinds } from './steam-kinds.ts';
import { teamFortressKinds } from './team-fortress-kinds.ts';
import { issueToken } from './tokens.ts';
import type { SteamWorld } from './world.ts';

const viewerCount = 12;
const botNames = ['demo_bot_1', 'demo_bot_2'];
const counterStrikeKinds: ItemKind[] = counterStrike.descriptions;

export type SeededSteam = {
  streamer: SteamPerson;
  viewers: SteamPerson[];
  bots: SteamPerson[];
  /** Two people who are not linked to anything yet. */
  newcomerStreamer: SteamPerson;
  newcomerViewer: SteamPerson;
};

/** Adds the demo people and their items to a new world; leaves a seeded world as it is. */
export function seedSteam(world: SteamWorld): SeededSteam {
  return findSeeded(world) ?? createSeeded(world);
}

function findSeeded(world: SteamWorld): SeededSteam | null {
  const named = (name: string) => world.users().find((person) => person.name === name);
  const streamer = named('Demo streamer');
  const newcomerStreamer = named('Demo newcomer streamer');
  const newcomerViewer = named('Demo newcomer viewer');
  if (streamer === undefined || newcomerStreamer === undefined || newcomerViewer === undefined) return null;
  const isThere = (person: SteamPerson | undefined) => person !== undefined;
  const viewers = viewerNames().map(named).filter(isThere);
  const bots = botNames.map((name) => world.userByAccountName(name)).filter((bot) => bot !== null);
  return { streamer, viewers, bots, newcomerStreamer, newcomerViewer };
}

function viewerNames() {
  return Array.from({ length: viewerCount }, (_, index) => `Demo viewer ${index + 1}`);
}

function createSeeded(world: SteamWorld): SeededSteam {
  for (const kind of [...counterStrikeKinds, ...teamFortressKinds, ...steamKinds]) world.describe(kind);
  const tradable = [...counterStrikeKinds.filter((kind) => kind.tradable === 1), ...teamFortressKinds];
  const streamer = world.addUser({ name: 'Demo streamer' });
  // Steam lists the newest item first, so the file's first item has to be given last.
  for (const asset of counterStrike.assets.toReversed()) world.give(streamer.steamId, asset, asset.assetid);
  for (const kind of teamFortressKinds) giveTimes(world, streamer, kind, 4);
  const viewers = viewerNames().map((name, index) => {
    const viewer = world.addUser({ name });
    for (const offset of [0, 5, 11]) giveNth(world, viewer, tradable, index * 2 + offset);
    return viewer;
  });
  const bots = botNames.map((accountName, index) =>
    world.addUser({ name: `Demo bot ${index + 1}`, login: newLogin(accountName) }),
  );
  const newcomerStreamer = world.addUser({ name: 'Demo newcomer streamer' });
  for (let index = 0; index < 30; index += 1) giveNth(world, newcomerStreamer, tradable, index);
  const newcomerViewer = world.addUser({ name: 'Demo newcomer viewer' });
  return { streamer, viewers, bots, newcomerStreamer, newcomerViewer };
}

function giveTimes(world: SteamWorld, person: SteamPerson, kind: ItemKind, times: number) {
  for (let index = 0; index < times; index += 1) world.give(person.steamId, kind);
}

function giveNth(world: SteamWorld, person: SteamPerson, kinds: ItemKind[], index: number) {
  const kind = kinds[index % kinds.length];
  if (kind !== undefined) world.give(person.steamId, kind);
}

/** Every world generates its own bot secrets, so that none is ever committed. */
function newLogin(accountName: string): SteamLogin {
  return {
    accountName,
    password: randomBytes(18).toString('base64url'),
    sharedSecret: randomBytes(20).toString('base64'),
    identitySecret: randomBytes(20).toString('base64'),
  };
}

export type BotEntry = SteamLogin & { name: string };

/** The content of STEAM_BOTS_FILE: the credentials of this world's bots. */
export function botsFile(world: SteamWorld): BotEntry[] {
  const bots = world
    .users()
    .flatMap((person) => (person.login === null ? [] : [{ name: person.name, ...person.login }]));
  return bots;
}

export type BotTokenEntry = { name: string; refreshToken: string; identitySecret: string };

/** Like `botsFile`, with refresh tokens instead of passwords, which the product also accepts. */
export function botsFileWithTokens(world: SteamWorld): BotTokenEntry[] {
  return world.users().flatMap((person) =>
    person.login === null
      ? []
      : [
          {
            name: person.name,
            refreshToken: issueToken(world.state, person, 'refresh'),
            identitySecret: person.login.identitySecret,
          },
        ],
  );
}
