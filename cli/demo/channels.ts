import type { DemoPanel, World } from './panel.ts';

/** A channel beside the one of the demo's streamer. */
export interface DemoChannel {
  name: string;
  login: string;
  displayName: string;
  stream: { title: string; gameName: string };
  /** The names of the catalogue's items that its owner has on Steam, each once. */
  items: readonly string[];
  /** The viewers who follow it, and since how many days. */
  followers: Readonly<Record<string, number>>;
}

/** The channels whose owners come after the viewers in the demo's notes. */
export const otherChannels: readonly DemoChannel[] = [
  {
    name: 'Demo Nordwind',
    login: 'demo_nordwind',
    displayName: 'Demo_Nordwind',
    stream: { title: 'Sailing through the ranks', gameName: 'Counter-Strike' },
    items: [
      'AWP | Atheris (Field-Tested)',
      'Glock-18 | Nuclear Garden (Field-Tested)',
      'USP-S | Monster Mashup (Factory New)',
      'M4A1-S | Hyper Beast (Field-Tested)',
      'AK-47 | Case Hardened (Field-Tested)',
    ],
    followers: { demo_viewer_06: 210, demo_viewer_08: 61, demo_viewer_09: 40, demo_viewer_07: 3 },
  },
  {
    name: 'Demo Lowtide',
    login: 'demo_lowtide',
    displayName: 'Demo_Lowtide',
    stream: { title: 'A quiet evening by the sea', gameName: 'Team Fortress 2' },
    items: [
      'AK-47 | Legion of Anubis (Field-Tested)',
      'USP-S | Neo-Noir (Minimal Wear)',
      'StatTrak™ Desert Eagle | Trigger Discipline (Field-Tested)',
      'Easy Peasy Pin',
    ],
    followers: { demo_viewer_02: 300, demo_viewer_06: 120 },
  },
];

/** The viewers who subscribe to the demo's streamer. */
export const subscribers = ['demo_viewer_05', 'demo_viewer_07'] as const;

interface Catalogue {
  kinds: { kind: string; marketHashName: string; tradable: boolean }[];
}

/** Makes the owners of the other channels, and who follows and subscribes, on Twitch and Steam. Again it changes nothing. */
export async function foundChannels(panel: DemoPanel): Promise<void> {
  const before = await panel.get<World>('/world.json');
  for (const { name, login, displayName } of otherChannels) {
    if (!before.twitch.users.some((user) => user.login === login))
      await panel.post('/twitch/users', { login, displayName, broadcasterType: 'affiliate' });
    if (!before.steam.users.some((user) => user.name === name)) await panel.post('/steam/users', { name });
  }
  const world = await panel.get<World>('/world.json');
  const idOf = (login: string): string => world.twitch.users.find((user) => user.login === login)?.id ?? '';
  for (const login of subscribers)
    await panel.post(`/twitch/${idOf('demo_streamer')}/subscribe`, { userId: idOf(login) });
  const { kinds } = await panel.get<Catalogue>('/steam/catalogue.json');
  for (const channel of otherChannels) {
    const at = `/twitch/${idOf(channel.login)}`;
    await panel.post(`${at}/moderators`, { userId: idOf('keepsake_demo_bot') });
    for (const [login, days] of Object.entries(channel.followers))
      await panel.post(`${at}/follow`, { userId: idOf(login), days });
    const steam = world.steam.users.find((user) => user.name === channel.name);
    if (!steam || steam.items > 0) continue;
    for (const name of channel.items) {
      const kind = kinds.find(({ marketHashName, tradable }) => tradable && marketHashName === name);
      await panel.post(`/steam/users/${steam.steamId}/give`, { kind: kind?.kind ?? name, count: 1 });
    }
  }
}
