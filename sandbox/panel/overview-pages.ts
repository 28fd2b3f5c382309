import type { TradeOffer } from '#sandbox/steam/state.ts';
import type { TwitchUser } from '#sandbox/twitch/world-state.ts';
import { clockButtons } from './clock-pages.ts';
import { type Html, html } from './html.ts';
import { ahead, count, time } from './layout.ts';
import { nextStepSection, offersToAnswer, shownChannel } from './next-step.ts';
import type { Panel, PanelWorlds } from './panel.ts';
import { strip } from './steam-words.ts';
import { troubleBoard } from './trouble-board.ts';
import { chooseUser, namedUsers } from './twitch-words.ts';

const SHOWN = { offers: 4, mails: 5 };

const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

function clockSection({ clock }: PanelWorlds): Html {
  const now = clock.now();
  return html`<section class="clock"><p class="hands">${clockFormat.format(now)}</p>
<p class="today">${dayFormat.format(now)}<br><small>${ahead(clock.offsetMs())}</small></p><div>${clockButtons()}</div></section>`;
}

function streamSection({ twitch }: PanelWorlds, channel: TwitchUser): Html {
  const stream = twitch.streamOf(channel.id);
  const at = `/twitch/${channel.id}`;
  const act = stream
    ? html`<form method="post" action="${at}/offline"><button class="danger">Go offline</button></form>`
    : html`<form method="post" action="${at}/live"><button>Go live</button></form>`;
  return html`<section><h2><a href="${at}">${channel.displayName}</a></h2>
<p>${stream ? html`<span class="badge on">Live</span> <small>since ${time(stream.startedAtMs)}</small>` : html`<span class="badge">Offline</span>`}</p>
<p><b>${channel.channel.title || 'No title'}</b><br><small>${channel.channel.gameName || 'No game set'}</small></p>${act}
<p>${count(twitch.chattersOf(channel.id).length, 'viewer')} in chat</p>
<form method="post" action="${at}/chatters/fill"><button name="count" value="20">+20 viewers</button></form>
<form method="post" action="${at}/chatters/leave"><button>Everybody leaves</button></form></section>`;
}

/** The chat, and the acts of the chosen person in it. Viewers come first, because they do most of them. */
function chatSection({ twitch }: PanelWorlds, channel: TwitchUser): Html {
  const at = `/twitch/${channel.id}`;
  const isViewer = ({ login }: TwitchUser) => login.startsWith('demo_viewer');
  const named = namedUsers(twitch);
  const people = [...named.filter(isViewer), ...named.filter((user) => !isViewer(user))];
  const [reward] = twitch.channelPoints.rewardsOf(channel.id).filter((one) => one.isEnabled && !one.isPaused);
  const act = (verb: string, name: string) =>
    html`<button formaction="${at}/${verb}" formnovalidate>${name}</button>`;
  return html`<section><h2>Chat</h2>
<iframe class="window" src="/twitch/${channel.id}/chat" title="Chat of ${channel.displayName}, newest first"></iframe>
<form method="post" action="${at}/say">${chooseUser(people, 'As')}
<label>Text <input name="text" maxlength="500" required></label><button class="primary">Say</button>
<div class="quick"><button name="line" value="hello" formnovalidate>Say hello</button><button name="line" value="!progress" formnovalidate>!progress</button>
${act('follow', 'Follow')}${act('subscribe', 'Subscribe')}<button formaction="${at}/subscribe" name="isGift" value="on" formnovalidate>Gift sub</button>
${reward && html`<button formaction="${at}/redeem" name="rewardId" value="${reward.id}" formnovalidate>Redeem “${reward.title}”</button>`}
${act('chatters/join', 'Join')}${act('chatters/leave', 'Leave')}</div></form></section>`;
}

function offerCard({ steam, addresses }: PanelWorlds, offer: TradeOffer): Html {
  const [from, to] = [steam.userBySteamId(offer.from)?.name, steam.userBySteamId(offer.to)?.name];
  const at = `/steam/users/${offer.to}/offers/${offer.id}`;
  const side = (name: string, items: TradeOffer['give']) =>
    html`<div><small>${name}</small>${items.length > 0 ? strip(steam, addresses.images, items) : html`<p class="empty">nothing</p>`}</div>`;
  return html`<li class="offer"><p>To <a href="/steam/users/${offer.to}"><b>${to}</b></a> from ${from}</p>
<div class="sides">${side('gets', offer.give)}${side('gives', offer.receive)}</div>
<p><small>“${offer.message}”</small></p>
<form method="post" action="${at}/accept"><button class="primary">Accept</button></form>
<form method="post" action="${at}/decline"><button>Decline</button></form></li>`;
}

function offersSection(worlds: PanelWorlds): Html {
  const open = offersToAnswer(worlds.steam);
  const cards = open.slice(0, SHOWN.offers).map((offer) => offerCard(worlds, offer));
  const more = open.length - cards.length;
  return html`<section><h2>Steam offers</h2>${cards.length > 0 ? html`<ul class="rows">${cards}</ul>` : html`<p class="hint">No offer waits for anybody. Deposits and claims in the product appear here.</p>`}
${more > 0 && html`<p><a href="/steam">${more} more</a></p>`}</section>`;
}

function mailSection({ mailbox }: PanelWorlds): Html {
  const rows = mailbox
    .list()
    .slice(0, SHOWN.mails)
    .map(
      (mail) =>
        html`<li><span class="what"><a href="/mail/${mail.id}">${mail.subject || '(no subject)'}</a> <small>to ${mail.to.join(', ')}</small></span><small>${time(mail.receivedAtMs)}</small></li>`,
    );
  return html`<section><h2><a href="/mail">Mail</a></h2>${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="hint">No emails yet.</p>`}</section>`;
}

const dayMs = 86_400_000;

function personCard({ twitch }: PanelWorlds, channel: TwitchUser, person: TwitchUser, isIn: boolean): Html {
  const follow = twitch.followOf(channel.id, person.id);
  const days = follow ? Math.floor((twitch.now() - follow.followedAtMs) / dayMs) : null;
  const subscriber = twitch.subscribersOf(channel.id).some(({ userId }) => userId === person.id);
  const facts = [
    isIn ? 'in chat' : 'away',
    days === null
      ? 'does not follow'
      : days === 0
        ? 'follows since today'
        : `follows for ${count(days, 'day')}`,
    subscriber && 'subscribed',
  ];
  return html`<li><span class="what"><b>${person.displayName}</b> <small>${facts.filter(Boolean).join(' · ')}</small></span>
<form method="post" action="/twitch/${channel.id}/chatters/${isIn ? 'leave' : 'join'}"><input type="hidden" name="userId" value="${person.id}"><button>${isIn ? 'Leave chat' : 'Join chat'}</button></form></li>`;
}

function peopleSection(worlds: PanelWorlds, channel: TwitchUser): Html {
  const listed = new Set(worlds.twitch.chattersOf(channel.id).map(({ id }) => id));
  const people = namedUsers(worlds.twitch).filter(({ broadcasterType }) => broadcasterType === '');
  return html`<section><h2>People</h2><ul class="rows people">${people.map((person) => personCard(worlds, channel, person, listed.has(person.id)))}</ul>
<p><a href="/twitch/${channel.id}">Follow, subscribe, spend points</a> · <a href="/twitch/people">New person on Twitch</a> · <a href="/steam">Inventories and offers on Steam</a></p></section>`;
}

function tourSection({ addresses }: PanelWorlds): Html {
  return html`<section><h2>What to try</h2><ul>
<li><a href="${addresses.product}">Open the product</a> and sign in with one of the accounts that the terminal printed. Use a second browser to be a viewer at the same time.</li>
<li>Deposit more items as the streamer, accept the offer here, then press <b>+7 days</b> and <b>+1 day</b>: new items are locked for 7 to 8 days.</li>
<li>Under <b>Billing</b>, choose a plan and pay with a demo card. Customers are under <a href="/stripe">Stripe</a>; moving the clock forward brings the next payment.</li>
<li>Cause some trouble and repeat the steps. The page <a href="/trouble">Trouble</a> has more of it.</li></ul></section>`;
}

/** The overview with the next step, the channel, open offers and people; and the list of API routes. */
export function addOverviewPages(panel: Panel): void {
  const { worlds, routes } = panel;
  panel.page('/', () => {
    const channel = shownChannel(worlds);
    return {
      title: 'The sandbox world',
      section: '/',
      body: html`${clockSection(worlds)}${nextStepSection(worlds)}
<div class="columns"><div>${channel && streamSection(worlds, channel)}${mailSection(worlds)}</div>
<div>${channel && chatSection(worlds, channel)}</div><div>${offersSection(worlds)}</div></div>
${channel && peopleSection(worlds, channel)}${troubleBoard(worlds)}${tourSection(worlds)}`,
    };
  });

  panel.page('/api', () => {
    const rows = routes.map(
      (route) =>
        html`<tr><td><code>${route.method} ${route.path}</code></td><td><code>${route.fields.join(', ')}</code></td><td>${route.does}</td></tr>`,
    );
    return {
      title: 'API',
      section: '/api',
      body: html`<p>Programs can call every form of this panel: send its fields as a form or as JSON with <code>accept: application/json</code>, to get JSON back. A refusal is a 4xx response with a <code>message</code>.</p>
<section><div class="table"><table><thead><tr><th>Route</th><th>Fields</th><th>What it does</th></tr></thead><tbody>${rows}</tbody></table></div></section>`,
    };
  });
}
