import { clockButtons } from './clock-pages.ts';
import { type Html, html } from './html.ts';
import { count } from './layout.ts';
import type { Panel, PanelWorlds } from './panel.ts';
import { broadcasters, namedUsers } from './twitch-words.ts';

function twitchSection({ twitch }: PanelWorlds): Html {
  const rows = namedUsers(twitch).map((user) => {
    const stream = twitch.streamOf(user.id);
    const isBroadcaster = user.broadcasterType !== '';
    const name = isBroadcaster
      ? html`<a href="/twitch/${user.id}">${user.displayName}</a>`
      : user.displayName;
    const live =
      stream &&
      html`<span class="badge on">live</span> <small>${count(twitch.chattersOf(user.id).length, 'chatter')}</small>`;
    return html`<li><span class="what">${name} ${live}</span><small>${user.broadcasterType || 'viewer'}</small></li>`;
  });
  return html`<section><h2>On Twitch</h2><ul class="rows">${rows}</ul></section>`;
}

function steamSection({ steam }: PanelWorlds): Html {
  const rows = steam.users().map((person) => {
    const bot =
      person.login &&
      html`<span class="badge">bot${steam.isConnected(person.steamId) && ', logged in'}</span>`;
    const url = html`<input readonly value="${steam.tradeUrlOf(person)}" aria-label="Trade URL of ${person.name}">`;
    return html`<li><span class="what"><a href="/steam/users/${person.steamId}">${person.name}</a> ${bot} <small>${count(person.items.length, 'item')}</small></span>${!person.login && url}</li>`;
  });
  return html`<section><h2>On Steam</h2><ul class="rows">${rows}</ul></section>`;
}

function tourSection({ twitch, addresses }: PanelWorlds): Html {
  const [streamer] = broadcasters(twitch);
  const name = streamer?.displayName ?? 'the streamer';
  const ownPage = streamer ? `/twitch/${streamer.id}` : '/twitch';
  return html`<section><h2>What to try</h2><ol>
<li><a href="${addresses.product}">Open the product</a> and sign in as ${name}, with the account that the terminal printed. Under <b>Rules</b>, create a rule that requires two minutes of watch time, and add rewards to it.</li>
<li>Here, open <a href="${ownPage}">${name}’s page</a>, go live and let Demo_Viewer_01 join the chat.</li>
<li>Press <b>+1 minute</b> until the rule is met. Press it once for each minute.</li>
<li>In another browser, sign in as Demo_Viewer_01, open <b>Reward progress</b> and claim.</li>
<li>Accept the bot’s offer on the page of <b>Demo viewer 1</b> under <a href="/steam">Steam</a>. Mails are in <a href="/mail">Mail</a>.</li>
<li>To deposit more, accept the bot’s offer as ${name} under Steam, then press <b>+7 days</b>: new items are locked that long.</li>
<li>Under <b>Billing</b>, choose a plan and pay with a demo card. Customers are under <a href="/stripe">Stripe</a>; moving the clock forward brings the next payment.</li>
<li>Cause some <a href="/trouble">Trouble</a> and repeat the steps.</li></ol></section>`;
}

/** The overview of people and time, with a tour, and the list of API routes. */
export function addOverviewPages(panel: Panel): void {
  const { worlds, routes } = panel;
  panel.page('/', () => ({
    title: 'The sandbox world',
    section: '/',
    body: html`<p>Twitch, Steam, Stripe, mail and time as the product sees them, on this machine alone. Nothing here reaches the real platforms, and everyone here is fictional.</p>
${clockButtons()}
<div class="columns"><div>${tourSection(worlds)}${twitchSection(worlds)}</div><div>${steamSection(worlds)}</div></div>`,
  }));

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
