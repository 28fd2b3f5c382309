import { gameId, knownGames } from './games.ts';
import type { HelixCall, HelixRoutes } from './helix-route.ts';
import { isoSeconds, page, Refusal } from './http-answers.ts';
import type { TwitchWorld } from './world.ts';
import type { Stream } from './world-state.ts';

/** Streams, channels and games. */
export function registerHelixChannels(routes: HelixRoutes): void {
  routes.any('GET', '/mock/streams', getStreams);
  routes.any('GET', '/mock/channels', getChannels);
  routes.any('GET', '/mock/games', getGames);
}

function getStreams({ world, query }: HelixCall) {
  const ids = query.all('user_id');
  const logins = query.all('user_login').map((login) => login.toLowerCase());
  const games = query.all('game_id');
  if (ids.length > 100 || logins.length > 100) throw new Refusal(400, 'At most 100 users may be given');
  const anyone = ids.length + logins.length === 0;
  const wanted = world.liveStreams().filter((stream) => {
    const login = world.userById(stream.broadcasterId)?.login ?? '';
    const isAsked = anyone || ids.includes(stream.broadcasterId) || logins.includes(login);
    return isAsked && (games.length === 0 || games.includes(gameId(stream.gameName)));
  });
  const { data, pagination } = page(wanted, query, { default: 20, max: 100 });
  return { data: data.map((stream) => streamData(world, stream)), pagination };
}

function streamData(world: TwitchWorld, stream: Stream) {
  const user = world.userById(stream.broadcasterId);
  return {
    id: stream.id,
    user_id: stream.broadcasterId,
    user_login: user?.login ?? '',
    user_name: user?.displayName ?? '',
    game_id: gameId(stream.gameName),
    game_name: stream.gameName,
    type: 'live',
    title: stream.title,
    tags: [],
    viewer_count: world.chattersOf(stream.broadcasterId).length + (stream.outsideChat ?? 0),
    started_at: isoSeconds(stream.startedAtMs),
    language: 'en',
    thumbnail_url: '',
    tag_ids: [],
    is_mature: false,
  };
}

function getChannels({ world, query }: HelixCall) {
  const ids = query.all('broadcaster_id');
  if (ids.length === 0) throw new Refusal(400, 'Missing required parameter "broadcaster_id"');
  if (ids.length > 100) throw new Refusal(400, 'At most 100 broadcasters may be given');
  const shown = ids.filter((id) => !world.suspensions.has(id));
  const users = shown.map((id) => world.userById(id)).filter((user) => user !== undefined);
  const data = users.map((user) => ({
    broadcaster_id: user.id,
    broadcaster_login: user.login,
    broadcaster_name: user.displayName,
    broadcaster_language: 'en',
    game_id: gameId(user.channel.gameName),
    game_name: user.channel.gameName,
    title: user.channel.title,
    delay: 0,
    tags: [],
    content_classification_labels: [],
    is_branded_content: false,
  }));
  return { data };
}

function getGames({ world, query }: HelixCall) {
  const names = new Set([...knownGames, ...world.users().map((user) => user.channel.gameName)]);
  names.delete('');
  const ids = query.all('id');
  const askedNames = query.all('name').map((name) => name.toLowerCase());
  const data = [...names]
    .filter((name) => ids.includes(gameId(name)) || askedNames.includes(name.toLowerCase()))
    .map((name) => ({ id: gameId(name), name, box_art_url: '', igdb_id: '' }));
  return { data };
}
