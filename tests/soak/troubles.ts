import type { Actor } from './actor.ts';
import type { Chance } from './chance.ts';
import type { Stage } from './stage.ts';

/** Steam carries out the request, and the answer is lost. */
const lostAnswers = ['sendAnswers500AfterEffect', 'sendDropsAfterEffect', 'sendTimesOutAfterEffect'];
const steamPresets = [
  'sendAnswers500BeforeEffect',
  'sendDropsBeforeEffect',
  'sendTimesOutBeforeEffect',
  'itemServerDown',
  'confirmationDropsAfterEffect',
  'confirmationsRateLimited',
  'pollAnswers503',
];
/** After these the product keeps visitors from Steam for a minute, so nobody can deposit. */
const rateLimits = ['inventoryRateLimited', 'nextRequestRateLimited'];
const twitchPaths = [
  '/mock/chat/chatters',
  '/mock/channel_points',
  '/mock/streams',
  '/mock/channels/followers',
  '/mock/subscriptions',
  '/mock/eventsub',
  '/auth/token',
  '/mock',
];
const socketActs = [
  'ircKill',
  'ircReconnect',
  'ircHalfOpen',
  'eventSubReconnect',
  'eventSubDrop',
  'eventSubHalfOpen',
];

/** Orders faults on both platforms: errors, closed sockets, lost answers, duplicate and reordered events. */
export function troubles(stage: Stage): Actor {
  const { panel, tally, tradeBots } = stage;
  const chance = stage.chanceOf('troubles');
  return {
    name: 'troubles',
    pauseMs: () => chance.between(2500, 7000),
    async act() {
      const acts = {
        steam: () => panel.act('/trouble/steam/requests', { preset: chance.pick(steamPresets) }),
        lostAnswer: () => panel.act('/trouble/steam/requests', { preset: chance.pick(lostAnswers) }),
        rateLimit: () => panel.act('/trouble/steam/requests', { preset: chance.pick(rateLimits) }),
        steamDown: () =>
          panel.act('/trouble/steam/requests', {
            target: 'any',
            effect: 'status:503',
            times: chance.between(2, 12),
          }),
        steamSession: () =>
          panel.act('/trouble/steam/sessions', {
            steamId: chance.pick(tradeBots),
            act: chance.pick(['killAccessTokens', 'kick', 'closeSocket']),
          }),
        twitch: () => panel.act('/trouble/twitch/requests', twitchTrouble(chance)),
        sockets: () => panel.act('/trouble/twitch/sockets', { act: chance.pick(socketActs) }),
        duplicates: () => panel.act('/trouble/twitch/duplicates', { count: chance.between(1, 4) }),
        late: () => panel.act('/trouble/twitch/late', { count: chance.between(1, 3) }),
        expireTokens: () => panel.act('/trouble/twitch/expire-tokens'),
      };
      const trouble = chance.among({
        steam: 6,
        lostAnswer: 4,
        rateLimit: 0.5,
        steamDown: 0.5,
        steamSession: 1,
        twitch: 12,
        sockets: 2,
        duplicates: 5,
        late: 5,
        expireTokens: 1,
      });
      await acts[trouble]();
      tally.note(`trouble: ${trouble}`);
    },
  };
}

const twitchTrouble = (chance: Chance) => ({
  path: chance.pick(twitchPaths),
  answer: chance.pick([401, 429, 500, 503, 'drop']),
  afterEffect: chance.is(0.5),
  times: chance.between(1, 3),
});
