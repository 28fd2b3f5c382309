import type { TwitchWorld } from '#sandbox/twitch/world.ts';
import type { TwitchUser } from '#sandbox/twitch/world-state.ts';
import { html } from './html.ts';
import { PanelRefusal } from './panel.ts';

/** The crowd that fills a chat is counted, never listed by name. */
export function namedUsers(twitch: TwitchWorld): TwitchUser[] {
  return twitch.users().filter((user) => !user.login.startsWith('demo_chatter_'));
}

/** Affiliates and partners; the others have no channel worth playing. */
export function broadcasters(twitch: TwitchWorld): TwitchUser[] {
  return namedUsers(twitch).filter((user) => user.broadcasterType !== '');
}

export function requireTwitchUser(twitch: TwitchWorld, userId: string): TwitchUser {
  const user = twitch.userById(userId);
  if (!user) throw new PanelRefusal(404, `There is no Twitch user with the id ${userId}.`);
  return user;
}

/** A choice of a person for a form. */
export function chooseUser(users: readonly TwitchUser[], label = 'Who') {
  const options = users.map((user) => html`<option value="${user.id}">${user.displayName}</option>`);
  return html`<label>${label} <select name="userId">${options}</select></label>`;
}
