import { z } from 'zod';
import { type Dialect, dialectParts, dialects } from '#sandbox/steam/dialects.ts';
import { type FaultPreset, type FaultRequest, faultPresets } from '#sandbox/steam/faults.ts';
import { type FaultEffect, faultTargets } from '#sandbox/steam/state.ts';
import { oddLines, sayOddly } from '#sandbox/twitch/chat-oddities.ts';
import { addFollowers } from '#sandbox/twitch/crowds.ts';
import {
  type ChatDrop,
  type ChatRefusal,
  chatDrops,
  chatRefusals,
  socketFaults,
} from '#sandbox/twitch/faults.ts';
import { type OddAnswerName, oddAnswers } from '#sandbox/twitch/odd-answers.ts';
import { flag, id, login, optionalText, wholeNumber } from './fields.ts';
import { count } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';
import { addReportedShapes, replayShapes } from './reported-shapes.ts';
import { requireSteamPerson } from './steam-words.ts';
import { requireTwitchUser } from './twitch-words.ts';

const page = '/trouble';
const chatRefusalIds = Object.keys(chatRefusals) as ChatRefusal[];
const chatDropCodes = Object.keys(chatDrops) as ChatDrop[];
const presetNames = Object.keys(faultPresets) as [FaultPreset, ...FaultPreset[]];
const sessionActs = ['killAccessTokens', 'killRefreshTokens', 'kick', 'closeSocket'] as const;
/** EResult LoggedInElsewhere. */
const loggedInElsewhere = 6;

/** `drop`, `status:500` or `result:16`. */
const effect = z
  .string()
  .regex(/^(drop|status:\d{3}|result:\d{1,3})$/, 'must be drop, status:<http status> or result:<eresult>')
  .transform((value): FaultEffect => {
    const [kind, number] = value.split(':');
    if (kind === 'status')
      return { kind, status: Number(number), retryAfterSeconds: number === '429' ? 5 : undefined };
    return kind === 'result' ? { kind, eresult: Number(number) } : { kind: 'drop' };
  });

const steamFault = z.object({
  preset: z.enum(presetNames).optional(),
  target: z.enum(faultTargets).default('any'),
  when: z.enum(['before', 'after']).default('before'),
  effect: effect.optional(),
  steamId: optionalText(20),
  times: wholeNumber(1, 1000).default(1),
});

function readFault(fields: z.output<typeof steamFault>): FaultRequest {
  const { target, when, steamId, times } = fields;
  if (fields.preset) return { ...faultPresets[fields.preset], steamId, times };
  if (!fields.effect) throw new PanelRefusal(400, 'Either a preset or an effect must be given.');
  return { target, when, effect: fields.effect, steamId, times };
}

function addSteamTrouble(panel: Panel): void {
  const { steam } = panel.worlds;
  panel.verb(
    '/trouble/steam/requests',
    `Makes the next requests to Steam fail: a \`preset\` (${presetNames.join(', ')}), or \`target\` (${faultTargets.join(', ')}), \`when\` (before or after its effect) and \`effect\` (drop, status:500, result:16). \`steamId\` limits it to one account.`,
    steamFault,
    (_params, fields) => {
      if (fields.steamId) requireSteamPerson(steam, fields.steamId);
      const fault = steam.pushFault(readFault(fields));
      return {
        said: `The next ${count(fields.times, 'request')} will fail.`,
        page,
        result: { fault: { ...fault } },
      };
    },
  );
  panel.verb(
    '/trouble/steam/shapes',
    `Makes Steam answer in another recorded format from now on: ${dialectParts.map((part) => `\`${part}\` is ${Object.keys(dialects[part]).join(', ')}`).join('; ')}.`,
    z.object(
      Object.fromEntries(dialectParts.map((part) => [part, z.enum(Object.keys(dialects[part])).optional()])),
    ),
    (_params, fields) => {
      const chosen = Object.entries(fields).filter(([, shape]) => shape !== undefined);
      steam.speak(Object.fromEntries(chosen) as Partial<Dialect>);
      return { said: 'Steam answers in these formats now.', page, result: { dialect: steam.state.dialect } };
    },
  );
  panel.verb(
    '/trouble/steam/sessions',
    `Disrupts a bot's session now: \`act\` is ${sessionActs.join(', ')}; a kick ends it with \`result\` (6: logged in elsewhere).`,
    z.object({
      steamId: id,
      act: z.enum(sessionActs),
      result: wholeNumber(1, 200).default(loggedInElsewhere),
    }),
    (_params, { steamId, act, result }) => {
      const { name } = requireSteamPerson(steam, steamId);
      const isConnected = steam.isConnected(steamId);
      if (act === 'killAccessTokens') steam.killAccessTokens(steamId);
      else if (act === 'killRefreshTokens') steam.killRefreshTokens(steamId);
      else if (!isConnected) throw new PanelRefusal(409, `${name} is not logged in.`);
      else if (act === 'kick') steam.kick(steamId, result);
      else steam.closeSocket(steamId);
      return { said: `Done: ${name}.`, page, result: { connected: steam.isConnected(steamId) } };
    },
  );
}

function addTwitchFaults(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/trouble/twitch/requests',
    'Makes the next HTTP requests to Twitch fail whose path begins with `path` (/mock/…, /auth/token, /eventsub/…): `answer` is a status or drop; with `afterEffect` the request takes effect first.',
    z.object({
      answer: z.union([z.literal('drop'), wholeNumber(400, 599)], 'must be drop or a status from 400 to 599'),
      path: optionalText(200),
      method: z.enum(['', 'GET', 'POST', 'PATCH', 'DELETE']).default(''),
      afterEffect: flag,
      times: wholeNumber(1, 1000).default(1),
    }),
    (_params, { answer, path, method, afterEffect, times }) => {
      twitch.faults.failNext({
        answer,
        afterEffect,
        times,
        ...(path && { path }),
        ...(method && { method }),
      });
      return { said: `The next ${count(times, 'request')} will fail.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/sockets',
    `Disrupts all open sockets now: \`act\` is ${socketFaults.join(', ')}.`,
    z.object({ act: z.enum(socketFaults) }),
    (_params, { act }) => {
      twitch.faults.strike(act);
      return { said: 'Struck.', page };
    },
  );
}

/** Events that come twice, late or never. */
function addEventTrouble(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/trouble/twitch/duplicates',
    'Sends the next `count` events twice.',
    z.object({ count: wholeNumber(1, 1000).default(1) }),
    (_params, fields) => {
      twitch.faults.duplicateNextEvent(fields.count);
      return { said: `${count(fields.count, 'event')} will come twice.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/late',
    'Delivers the next `count` events after the one that follows them.',
    z.object({ count: wholeNumber(1, 1000).default(1) }),
    (_params, fields) => {
      twitch.faults.delayNextEvent(fields.count);
      return { said: `${count(fields.count, 'event')} will come late.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/lost',
    'Never delivers the next `count` events.',
    z.object({ count: wholeNumber(1, 1000).default(1) }),
    (_params, fields) => {
      twitch.faults.loseNextEvent(fields.count);
      return { said: `${count(fields.count, 'event')} will be lost.`, page };
    },
  );
}

/** Crowds in chats and on lists. */
function addCrowdTrouble(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/trouble/twitch/everywhere',
    'Puts `userId` into the chats of all live channels, as a script does.',
    z.object({ userId: id }),
    (_params, { userId }) => {
      const { login } = requireTwitchUser(twitch, userId);
      const streams = twitch.liveStreams();
      for (const { broadcasterId } of streams) twitch.joinChat(broadcasterId, [userId]);
      return { said: `${login} is in ${count(streams.length, 'chat')}.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/followers',
    'Gives the channel of `userId` `count` followers, so that its list has many pages.',
    z.object({ userId: id, count: wholeNumber(1, 500_000) }),
    (_params, { userId, count: followers }) => {
      const { login } = requireTwitchUser(twitch, userId);
      addFollowers(twitch, userId, followers);
      return { said: `${login} has ${count(followers, 'follower')} more.`, page };
    },
  );
}

const oddAnswerNames = Object.keys(oddAnswers) as OddAnswerName[];

/** Answers that are not the whole truth. */
function addOddAnswers(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/trouble/twitch/odd-answers',
    `Answers the next \`times\` matching requests oddly, 0 for no longer: \`answer\` is ${oddAnswerNames.join(', ')}.`,
    z.object({ answer: z.enum(oddAnswerNames), times: wholeNumber(0, 1000).default(1) }),
    (_params, { answer, times }) => {
      twitch.faults.answerOddly(answer, times);
      const { path, source } = oddAnswers[answer];
      return { said: `${path} answers oddly ${count(times, 'time')}, as in ${source}.`, page };
    },
  );
}

/** Chats that refuse lines, and lines that are dropped. */
function addChatTrouble(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/trouble/twitch/chat',
    `Makes the chat of \`userId\` refuse accounts without a role there: \`refusal\` is ${Object.keys(chatRefusals).join(', ')}, or empty for no longer.`,
    z.object({ userId: id, refusal: z.enum(['', ...chatRefusalIds]).default('') }),
    (_params, { userId, refusal }) => {
      const { login } = requireTwitchUser(twitch, userId);
      twitch.faults.refuseChat(userId, refusal || null);
      return {
        said: refusal ? `The chat of ${login} refuses lines.` : `The chat of ${login} is open.`,
        page,
      };
    },
  );
  panel.verb(
    '/trouble/twitch/drops',
    `Makes Send Chat Message drop the next \`times\` lines: \`reason\` is ${chatDropCodes.join(', ')}.`,
    z.object({ reason: z.enum(chatDropCodes), times: wholeNumber(1, 1000).default(1) }),
    (_params, { reason, times }) => {
      twitch.faults.dropNextLine(reason, times);
      return { said: `${count(times, 'line')} will be dropped.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/say',
    `Says \`!progress\` as \`userId\` in the chat of \`broadcasterId\`, or nothing, as it happens on Twitch: \`how\` is ${oddLines.join(', ')}. A shared line was written in the author's own chat.`,
    z.object({ broadcasterId: id, userId: id, how: z.enum(oddLines) }),
    (_params, { broadcasterId, userId, how }) => {
      requireTwitchUser(twitch, broadcasterId);
      const { login: author } = requireTwitchUser(twitch, userId);
      sayOddly(twitch, broadcasterId, userId, how);
      return { said: `${author} said it.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/lines',
    'Holds all chat lines back from whoever reads them (`act` hold), and lets them come late (release).',
    z.object({ act: z.enum(['hold', 'release']) }),
    (_params, { act }) => {
      if (act === 'hold') twitch.faults.holdLines();
      else twitch.faults.releaseLines();
      return { said: act === 'hold' ? 'Chat lines are held.' : 'Chat lines are on their way.', page };
    },
  );
}

/** Adds acts on a chat's trusted people, a channel's abilities, and names. */
function addPeopleTrouble(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/trouble/twitch/moderators',
    'Makes `userId` a moderator or lead moderator (`role`) of the chat of `broadcasterId`, or with an empty role neither.',
    z.object({
      broadcasterId: id,
      userId: id,
      role: z.enum(['', 'moderator', 'lead_moderator']).default('moderator'),
    }),
    (_params, { broadcasterId, userId, role }) => {
      requireTwitchUser(twitch, broadcasterId);
      const { login } = requireTwitchUser(twitch, userId);
      if (role) twitch.addModerator(broadcasterId, userId, role);
      else twitch.removeModerator(broadcasterId, userId);
      return { said: `${login} ${role ? 'moderates' : 'no longer moderates'} the chat.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/rename',
    'Gives `userId` the login `login`; the id stays the same.',
    z.object({ userId: id, login }),
    (_params, { userId, login: next }) => {
      const before = requireTwitchUser(twitch, userId).login;
      twitch.rename(userId, next);
      return { said: `${before} is called ${next}.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/type',
    'Makes the channel of `userId` an affiliate or a partner (`type`), or with an empty type neither.',
    z.object({ userId: id, type: z.enum(['', 'affiliate', 'partner']).default('') }),
    (_params, { userId, type }) => {
      const { login } = requireTwitchUser(twitch, userId);
      twitch.setBroadcasterType(userId, type);
      return { said: `${login} is ${type || 'neither affiliate nor partner'}.`, page };
    },
  );
}

/** Adds acts on grants, suspended accounts, tokens that expire, and a list of chatters that lags. */
function addAccountTrouble(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/trouble/twitch/scopes',
    'Takes `scope` away from what `userId` has granted, as if it had never been asked for. Subscriptions that were made stay.',
    z.object({ userId: id, scope: z.string().regex(/^[a-z:_]{3,60}$/, 'must be a scope') }),
    (_params, { userId, scope }) => {
      const { login } = requireTwitchUser(twitch, userId);
      twitch.tokens.withdraw(userId, scope);
      return { said: `${login} has not granted ${scope}.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/suspend',
    'Suspends the account of `userId`, which looks like a deleted one: `act` is suspend (its tokens die), suspendOnly (they live on) or lift.',
    z.object({ userId: id, act: z.enum(['suspend', 'suspendOnly', 'lift']) }),
    (_params, { userId, act }) => {
      const { login } = requireTwitchUser(twitch, userId);
      if (act === 'lift') twitch.suspensions.lift(userId);
      else twitch.suspensions.add(userId, { keepsTokens: act === 'suspendOnly' });
      return { said: act === 'lift' ? `${login} is back.` : `${login} is suspended.`, page };
    },
  );
  panel.verb(
    '/trouble/twitch/expire-tokens',
    'Expires the access tokens of a user, or of all users; refreshing still works.',
    z.object({ userId: optionalText(20) }),
    (_params, { userId }) => {
      if (userId) requireTwitchUser(twitch, userId);
      twitch.expireTokens(userId);
      return { said: 'The access tokens have expired.', page };
    },
  );
  panel.verb(
    '/trouble/twitch/chatter-lag',
    'Delays the list of chatters by `seconds`.',
    z.object({ seconds: wholeNumber(0, 3600) }),
    (_params, { seconds }) => {
      twitch.chatterLagSeconds = seconds;
      return { said: `The list of chatters is delayed by ${count(seconds, 'second')}.`, page };
    },
  );
}

/** Trouble on demand, on all platforms. */
export function addTroubleVerbs(panel: Panel): void {
  addSteamTrouble(panel);
  addTwitchFaults(panel);
  addEventTrouble(panel);
  addCrowdTrouble(panel);
  addChatTrouble(panel);
  addOddAnswers(panel);
  addPeopleTrouble(panel);
  addAccountTrouble(panel);
  const { steam, twitch, stripe } = panel.worlds;
  panel.verb(
    '/trouble/clock',
    'Sets world time back by `minutes`, as a host does whose clock was ahead.',
    z.object({ minutes: wholeNumber(1, 60 * 24 * 366) }),
    (_params, { minutes }) => {
      const outcome = panel.worlds.clock.leapBack(minutes * 60_000);
      if (!outcome.ok) throw new PanelRefusal(400, outcome.message);
      const { nowMs, offsetMs } = outcome;
      return { said: 'The clock leapt back.', page, result: { nowMs, offsetMs } };
    },
  );
  addReportedShapes(panel);
  panel.verb('/trouble/clear', 'Cancels all pending trouble.', z.object({}), () => {
    steam.clearFaults();
    twitch.faults.clear();
    twitch.chatterLagSeconds = 0;
    stripe.faults.clear();
    replayShapes(panel.worlds, []);
    return { said: 'All pending trouble was cancelled.', page };
  });
  panel.json('/trouble.json', 'Pending trouble.', () => ({
    steam: steam.faults(),
    twitch: twitch.faults.pending(),
    stripe: stripe.faults.pending(),
    chatterLagSeconds: twitch.chatterLagSeconds,
  }));
}
