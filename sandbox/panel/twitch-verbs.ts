import { z } from 'zod';
import { flag, id, ids, login, optionalText, wholeNumber } from './fields.ts';
import { count } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';
import { requireTwitchUser } from './twitch-words.ts';

const dayMs = 86_400_000;

/** Starting and ending a stream. */
function addStreamVerbs(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/twitch/:broadcasterId/live',
    'Starts the stream, or changes its title and game. `sameStream` reuses the last stream id.',
    z.object({ title: optionalText(140), gameName: optionalText(100), sameStream: flag }),
    ({ broadcasterId }, { title, gameName, sameStream }) => {
      const user = requireTwitchUser(twitch, broadcasterId);
      const stream = twitch.goLive(broadcasterId, {
        ...(title && { title }),
        ...(gameName && { gameName }),
        sameStream,
      });
      return { said: `${user.displayName} is live.`, page: `/twitch/${broadcasterId}`, result: { stream } };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/offline',
    'Ends the stream; `flapping` restarts it at once under the same id.',
    z.object({ flapping: flag }),
    ({ broadcasterId }, { flapping }) => {
      const user = requireTwitchUser(twitch, broadcasterId);
      twitch.goOffline(broadcasterId, { flapping });
      const said = flapping ? `${user.displayName} went off and on.` : `${user.displayName} is offline.`;
      return { said, page: `/twitch/${broadcasterId}` };
    },
  );
}

/** Adds joining, leaving and writing in chats. */
function addChatVerbs(panel: Panel): void {
  const { twitch } = panel.worlds;
  const listed = (broadcasterId: string) => ({ chatters: twitch.chattersOf(broadcasterId).length });
  panel.verb(
    '/twitch/:broadcasterId/chatters/fill',
    'Adds anonymous viewers to the chat.',
    z.object({ count: wholeNumber(1, 20_000) }),
    ({ broadcasterId }, fields) => {
      requireTwitchUser(twitch, broadcasterId);
      twitch.addChatters(broadcasterId, fields.count);
      const said = `${count(fields.count, 'viewer')} came into the chat.`;
      return { said, page: `/twitch/${broadcasterId}`, result: listed(broadcasterId) };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/chatters/join',
    'Adds one or more users to the list of chatters.',
    z.object({ userId: ids }),
    ({ broadcasterId }, { userId }) => {
      const users = userId.map((one) => requireTwitchUser(twitch, one));
      requireTwitchUser(twitch, broadcasterId);
      twitch.joinChat(broadcasterId, userId);
      const said = `${users.map((user) => user.displayName).join(', ')} joined the chat.`;
      return { said, page: `/twitch/${broadcasterId}`, result: listed(broadcasterId) };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/chatters/leave',
    'Removes users from the list of chatters; without `userId` all of them.',
    z.object({ userId: ids.optional() }),
    ({ broadcasterId }, { userId }) => {
      requireTwitchUser(twitch, broadcasterId);
      const users = userId?.map((one) => requireTwitchUser(twitch, one).displayName);
      twitch.removeChatters(broadcasterId, userId);
      const said = users ? `${users.join(', ')} left the chat.` : 'All viewers left the chat.';
      return { said, page: `/twitch/${broadcasterId}`, result: listed(broadcasterId) };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/say',
    'Sends a chat message as any user; `line` is said instead of `text`.',
    z.object({ userId: id, text: optionalText(500), line: optionalText(500) }),
    ({ broadcasterId }, fields) => {
      requireTwitchUser(twitch, broadcasterId);
      const user = requireTwitchUser(twitch, fields.userId);
      const said = fields.line ?? fields.text;
      if (!said) throw new PanelRefusal(400, 'text: must be given.');
      const line = twitch.say(broadcasterId, user.id, said.replaceAll(/\s+/g, ' '));
      return { said: `${user.displayName} said it.`, page: `/twitch/${broadcasterId}`, result: { line } };
    },
  );
}

/** Chats that several channels share, "Stream Together". */
function addSharedChatVerbs(panel: Panel): void {
  const { twitch } = panel.worlds;
  panel.verb(
    '/twitch/:broadcasterId/shared-chat',
    'Shares the chat with the channels of other users: a line shows in all of them, unless it is for its own alone.',
    z.object({ guestId: ids }),
    ({ broadcasterId }, { guestId }) => {
      const all = [broadcasterId, ...guestId].map((one) => requireTwitchUser(twitch, one));
      if (new Set([broadcasterId, ...guestId]).size < all.length)
        throw new PanelRefusal(400, 'guestId: must be other channels.');
      if (all.some((user) => twitch.sharedChats.of(user.id)))
        throw new PanelRefusal(409, 'One of them shares its chat already.');
      twitch.sharedChats.begin(broadcasterId, guestId, twitch.now());
      const said = `${all.map((user) => user.displayName).join(' and ')} share a chat.`;
      return { said, page: `/twitch/${broadcasterId}` };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/shared-chat/end',
    'Ends the shared chat for all of its channels.',
    z.object({}),
    ({ broadcasterId }) => {
      requireTwitchUser(twitch, broadcasterId);
      twitch.sharedChats.end(broadcasterId);
      return { said: 'The chat is shared no more.', page: `/twitch/${broadcasterId}` };
    },
  );
}

/** Following and subscribing. */
function addLoyaltyVerbs(panel: Panel): void {
  const { twitch } = panel.worlds;
  const pair = (broadcasterId: string, userId: string) => {
    const user = requireTwitchUser(twitch, userId).displayName;
    return {
      page: `/twitch/${broadcasterId}`,
      user,
      channel: requireTwitchUser(twitch, broadcasterId).displayName,
    };
  };
  panel.verb(
    '/twitch/:broadcasterId/follow',
    'Follows the channel from now, or since `days` ago.',
    z.object({ userId: id, days: wholeNumber(0, 3650).default(0) }),
    ({ broadcasterId }, { userId, days }) => {
      const { page, user, channel } = pair(broadcasterId, userId);
      const follow = twitch.follow(broadcasterId, userId, twitch.now() - days * dayMs);
      return { said: `${user} follows ${channel}.`, page, result: { follow } };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/unfollow',
    'Unfollows the channel.',
    z.object({ userId: id }),
    ({ broadcasterId }, { userId }) => {
      const { page, user, channel } = pair(broadcasterId, userId);
      twitch.unfollow(broadcasterId, userId);
      return { said: `${user} no longer follows ${channel}.`, page };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/subscribe',
    'Subscribes to the channel in a `tier`: 1000, 2000 or 3000.',
    z.object({ userId: id, tier: z.enum(['1000', '2000', '3000']).default('1000'), isGift: flag }),
    ({ broadcasterId }, { userId, tier, isGift }) => {
      const { page, user, channel } = pair(broadcasterId, userId);
      const subscription = twitch.subscribe(broadcasterId, userId, tier, isGift);
      return { said: `${user} subscribes to ${channel}.`, page, result: { subscription } };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/resubscribe',
    'Renews the subscription and announces it in chat.',
    z.object({ userId: id }),
    ({ broadcasterId }, { userId }) => {
      const { page, user, channel } = pair(broadcasterId, userId);
      const subscription = twitch.resubscribe(broadcasterId, userId);
      return { said: `${user} subscribes to ${channel} again.`, page, result: { subscription } };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/unsubscribe',
    'Ends a subscription.',
    z.object({ userId: id }),
    ({ broadcasterId }, { userId }) => {
      const { page, user, channel } = pair(broadcasterId, userId);
      twitch.unsubscribe(broadcasterId, userId);
      return { said: `${user} no longer subscribes to ${channel}.`, page };
    },
  );
}

/** People: creating, renaming, revoking, and moderators. */
function addPeopleVerbs(panel: Panel): void {
  const { twitch } = panel.worlds;
  const page = '/twitch/people';
  panel.verb(
    '/twitch/users',
    'Creates a user; `broadcasterType` is empty, affiliate or partner.',
    z.object({
      login,
      displayName: optionalText(25),
      broadcasterType: z.enum(['', 'affiliate', 'partner']).default(''),
    }),
    (_params, fields) => {
      const user = twitch.addUser({ ...fields, displayName: fields.displayName ?? fields.login });
      return { said: `${user.displayName} is on Twitch now.`, page, result: { user } };
    },
  );
  panel.verb(
    '/twitch/users/:userId/rename',
    'Renames a user; the id stays the same.',
    z.object({ login, displayName: optionalText(25) }),
    ({ userId }, fields) => {
      const old = requireTwitchUser(twitch, userId).displayName;
      const user = twitch.rename(userId, fields.login, fields.displayName ?? fields.login);
      return { said: `${old} is called ${user.displayName} now.`, page, result: { user } };
    },
  );
  panel.verb(
    '/twitch/users/:userId/revoke',
    'Disconnects the application, as a user can in the settings of Twitch.',
    z.object({}),
    ({ userId }) => {
      const user = requireTwitchUser(twitch, userId);
      twitch.revokeAuthorization(userId);
      return { said: `${user.displayName} disconnected the application.`, page };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/moderators',
    'Makes a user a moderator, or with `remove` removes them.',
    z.object({ userId: id, remove: flag }),
    ({ broadcasterId }, { userId, remove }) => {
      requireTwitchUser(twitch, broadcasterId);
      const user = requireTwitchUser(twitch, userId);
      if (remove) twitch.removeModerator(broadcasterId, userId);
      else twitch.addModerator(broadcasterId, userId);
      const said = `${user.displayName} ${remove ? 'no longer moderates' : 'moderates'} the chat.`;
      return { said, page: `/twitch/${broadcasterId}` };
    },
  );
}

/** All verbs for the sandbox's Twitch. */
export function addTwitchVerbs(panel: Panel): void {
  addStreamVerbs(panel);
  addChatVerbs(panel);
  addSharedChatVerbs(panel);
  addLoyaltyVerbs(panel);
  addPeopleVerbs(panel);
}
