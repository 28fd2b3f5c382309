import type { TwitchWorld } from '#sandbox/twitch/world.ts';
import type { TwitchUser } from '#sandbox/twitch/world-state.ts';
import { html } from './html.ts';
import { PanelRefusal } from './panel.ts';

/** Users without the anonymous crowd, which is only counted. */
export function namedUsers(twitch: TwitchWorld): TwitchUser[] {
  return twitch.users().filter((user) => !user.login.startsWith('demo_chatter_'));
}

/** Affiliates and partners, the only users with a channel page. */
export function broadcasters(twitch: TwitchWorld): TwitchUser[] {
  return namedUsers(twitch).filter((user) => user.broadcasterType !== '');
}

export function requireTwitchUser(twitch: TwitchWorld, userId: string): TwitchUser {
  const user = twitch.userById(userId);
  if (!user) throw new PanelRefusal(404, `There is no Twitch user with the id ${userId}.`);
  return user;
}

/** A select field for a user. */
export function chooseUser(users: readonly TwitchUser[], label = 'Who', field = 'userId') {
  const options = users.map((user) => html`<option value="${user.id}">${user.displayName}</option>`);
  return html`<label>${label} <select name="${field}">${options}</select></label>`;
}
