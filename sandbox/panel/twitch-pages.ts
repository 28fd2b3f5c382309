import type { TwitchUser } from '#sandbox/twitch/world-state.ts';
import { pointsSection } from './channel-points.ts';
import { type Html, html } from './html.ts';
import { count, type Page, time } from './layout.ts';
import type { Panel, PanelWorlds } from './panel.ts';
import { broadcasters, chooseUser, namedUsers, requireTwitchUser } from './twitch-words.ts';

function tabs(worlds: PanelWorlds, current: string): Html {
  const channels = broadcasters(worlds.twitch).map((user) => {
    const live = worlds.twitch.streamOf(user.id) ? ' (live)' : '';
    const here = user.id === current ? html` aria-current="page"` : null;
    return html`<li><a href="/twitch/${user.id}"${here}>${user.displayName}${live}</a></li>`;
  });
  const here = current === 'people' ? html` aria-current="page"` : null;
  return html`<ul class="tabs">${channels}<li><a href="/twitch/people"${here}>People</a></li></ul>`;
}

function streamSection({ twitch }: PanelWorlds, user: TwitchUser): Html {
  const stream = twitch.streamOf(user.id);
  const status = stream
    ? html`<span class="badge on">Live</span> <small>since ${time(stream.startedAtMs)}</small>`
    : html`<span class="badge">Offline</span>`;
  const endForms = html`<form method="post" action="/twitch/${user.id}/offline"><button class="danger">Go offline</button>
<button name="flapping" value="true">Disconnect and reconnect</button></form>`;
  return html`<section><h2>Stream</h2><p>${status}</p>
<form method="post" action="/twitch/${user.id}/live">
<label>Title <input name="title" value="${user.channel.title}" maxlength="140"></label>
<label>Game <input name="gameName" value="${user.channel.gameName}" maxlength="100"></label>
<button${stream ? null : html` class="primary"`}>${stream ? 'Change' : 'Go live'}</button></form>
${stream ? endForms : null}</section>`;
}

function crowdSection({ twitch }: PanelWorlds, user: TwitchUser): Html {
  const { length } = twitch.chattersOf(user.id);
  return html`<section><h2>Audience</h2><p>${count(length, 'chatter')} on the list now.</p>
<form method="post" action="/twitch/${user.id}/chatters/fill"><label class="short">Viewers <input name="count" type="number" min="1" max="20000" value="200" required></label><button>Add viewers</button></form>
<form method="post" action="/twitch/${user.id}/chatters/leave"><button class="danger">Remove all viewers</button></form></section>`;
}

function speakSection(worlds: PanelWorlds, user: TwitchUser): Html {
  return html`<section><h2>Chat</h2>
<form method="post" action="/twitch/${user.id}/say">${chooseUser(namedUsers(worlds.twitch), 'Speak as')}
<label>Text <input name="text" maxlength="500" required></label><button class="primary">Say</button></form>
<iframe class="short" src="/twitch/${user.id}/chat" title="Chat of ${user.displayName}, newest first"></iframe></section>`;
}

/** Begins a shared chat with another channel, or ends it. */
function sharedChatSection({ twitch }: PanelWorlds, user: TwitchUser): Html {
  const at = `/twitch/${user.id}/shared-chat`;
  const session = twitch.sharedChats.of(user.id);
  const others = (session?.broadcasterIds ?? []).filter((id) => id !== user.id);
  const names = others.map((id) => requireTwitchUser(twitch, id).displayName).join(', ');
  const begin = html`<form method="post" action="${at}">${chooseUser(
    namedUsers(twitch).filter((other) => other.id !== user.id),
    'Share with',
    'guestId',
  )}<button>Share the chat</button></form>`;
  const end = html`<p>With ${names}.</p><form method="post" action="${at}/end"><button class="danger">End it</button></form>`;
  return html`<section><h2>Shared chat</h2>${session ? end : begin}</section>`;
}

function act(path: string, userId: string, name: string, extra: Html | null = null): Html {
  return html`<form method="post" action="${path}"><input type="hidden" name="userId" value="${userId}">${extra}<button>${name}</button></form>`;
}

function viewerRow(
  { twitch }: PanelWorlds,
  broadcaster: TwitchUser,
  viewer: TwitchUser,
  isListed: boolean,
): Html {
  const at = `/twitch/${broadcaster.id}`;
  const follow = twitch.followOf(broadcaster.id, viewer.id);
  const isSubscriber = twitch.subscribersOf(broadcaster.id).some((one) => one.userId === viewer.id);
  const isModerator = twitch.isModerator(broadcaster.id, viewer.id);
  const facts = [
    isListed ? html`<span class="badge on">in chat</span> ` : null,
    isSubscriber ? html`<span class="badge on">subscriber</span> ` : null,
    isModerator ? html`<span class="badge">moderator</span> ` : null,
    follow
      ? html`<small>follows since ${time(follow.followedAtMs)}</small>`
      : html`<small>does not follow</small>`,
  ];
  const how = html`<select name="tier" aria-label="Tier for ${viewer.displayName}"><option value="1000">Tier 1</option><option value="2000">Tier 2</option><option value="3000">Tier 3</option></select><label><input type="checkbox" name="isGift" value="true"> as a gift</label>`;
  const since = html`<input class="days" type="number" name="days" min="0" max="3650" value="0" aria-label="Days that ${viewer.displayName} has followed">`;
  return html`<li><span class="what"><strong>${viewer.displayName}</strong> ${facts}</span>
${isListed ? act(`${at}/chatters/leave`, viewer.id, 'Leave chat') : act(`${at}/chatters/join`, viewer.id, 'Join chat')}
${follow ? act(`${at}/unfollow`, viewer.id, 'Unfollow') : act(`${at}/follow`, viewer.id, 'Follow for days', since)}
${isSubscriber ? [act(`${at}/resubscribe`, viewer.id, 'Renew subscription'), act(`${at}/unsubscribe`, viewer.id, 'Unsubscribe')] : act(`${at}/subscribe`, viewer.id, 'Subscribe', how)}</li>`;
}

function viewersSection(worlds: PanelWorlds, user: TwitchUser): Html {
  const listed = new Set(worlds.twitch.chattersOf(user.id).map((chatter) => chatter.id));
  const viewers = namedUsers(worlds.twitch).filter((viewer) => viewer.id !== user.id);
  return html`<section><h2>Viewers by name</h2><ul class="rows">
${viewers.map((viewer) => viewerRow(worlds, user, viewer, listed.has(viewer.id)))}</ul></section>`;
}

function channelPage(worlds: PanelWorlds, broadcasterId: string): Page {
  const user = requireTwitchUser(worlds.twitch, broadcasterId);
  return {
    title: `Twitch: ${user.displayName}`,
    section: '/twitch',
    body: html`${tabs(worlds, user.id)}
<div class="columns"><div>${streamSection(worlds, user)}${crowdSection(worlds, user)}${pointsSection(worlds, user)}</div>
<div>${speakSection(worlds, user)}${sharedChatSection(worlds, user)}</div></div>${viewersSection(worlds, user)}`,
  };
}

function personRow({ twitch, clientId }: PanelWorlds, user: TwitchUser): Html {
  const tokens = twitch.tokens.toJSON();
  const isConnected = tokens.some((token) => token.userId === user.id && token.clientId === clientId);
  const at = `/twitch/users/${user.id}`;
  return html`<li><span class="what"><strong>${user.displayName}</strong> ${isConnected ? html`<span class="badge on">connected the product</span>` : null}
<small>${user.login}, id ${user.id}, ${user.broadcasterType || 'no affiliate'}</small></span>
<form method="post" action="${at}/rename"><input name="login" aria-label="New name of ${user.displayName}" value="${user.displayName}" required pattern="[A-Za-z0-9_]{3,25}"><button>Rename</button></form>
<form method="post" action="${at}/revoke"><button class="danger">Disconnect product</button></form></li>`;
}

function peoplePage(worlds: PanelWorlds): Page {
  return {
    title: 'Twitch: people',
    section: '/twitch',
    body: html`${tabs(worlds, 'people')}<section><ul class="rows">${namedUsers(worlds.twitch).map((user) => personRow(worlds, user))}</ul></section>
<section><h2>New person</h2><form method="post" action="/twitch/users">
<label>Name <input name="login" required pattern="[A-Za-z0-9_]{3,25}"></label>
<label>Channel <select name="broadcasterType"><option value="">viewer</option><option>affiliate</option><option>partner</option></select></label>
<button>Add</button></form></section>`,
  };
}

/** Channels with their chats, and the people of Twitch. */
export function addTwitchPages(panel: Panel): void {
  const { worlds } = panel;
  panel.page('/twitch', () => {
    const [first] = broadcasters(worlds.twitch);
    return first ? channelPage(worlds, first.id) : peoplePage(worlds);
  });
  panel.page('/twitch/people', () => peoplePage(worlds));
  // The product's links to Twitch name a channel by its login.
  panel.page('/twitch/:channel', ({ channel }) => {
    const named = namedUsers(worlds.twitch).find(({ login }) => login === channel);
    return channelPage(worlds, named?.id ?? channel);
  });
}
