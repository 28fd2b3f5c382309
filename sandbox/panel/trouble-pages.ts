import type { RequestFault } from '#sandbox/request-faults.ts';
import { dialectParts, dialects } from '#sandbox/steam/dialects.ts';
import { faultPresets } from '#sandbox/steam/faults.ts';
import { type Fault, faultTargets } from '#sandbox/steam/state.ts';
import { oddLines } from '#sandbox/twitch/chat-oddities.ts';
import { chatDrops, chatRefusals } from '#sandbox/twitch/faults.ts';
import { oddAnswers } from '#sandbox/twitch/odd-answers.ts';
import { type Html, html } from './html.ts';
import { count } from './layout.ts';
import type { Panel, PanelWorlds } from './panel.ts';
import { reportedShapesSection } from './reported-shapes.ts';
import { pendingStripe, stripeTroubleSections } from './stripe-trouble.ts';

/** Splits a name into words: "sendAnswers500AfterEffect" becomes "send answers 500 after effect". */
function inWords(name: string): string {
  return name.replaceAll(/([A-Z]|\d+)/g, ' $1').toLowerCase();
}

function effectWords({ effect }: Fault): string {
  if (effect.kind === 'drop') return 'socket dropped';
  if (effect.kind === 'words') return `refused: ${effect.message}`;
  if (effect.kind === 'body') return `answers ${JSON.stringify(effect.body)}`;
  return effect.kind === 'status' ? `answers ${effect.status}` : `Steam's result ${effect.eresult}`;
}

function twitchWords(fault: RequestFault): string {
  const what = fault.answer === 'drop' ? 'socket dropped' : `answers ${fault.answer}`;
  const where = `${fault.method || 'any'} ${fault.path ?? '/'}`;
  return `${where}: ${what}${fault.afterEffect ? ' after its effect' : ''}`;
}

function pendingSection(worlds: PanelWorlds): Html {
  const { steam, twitch } = worlds;
  const nameOf = (steamId: string | null) => (steamId ? steam.userBySteamId(steamId)?.name : 'anybody');
  const onSteam = steam
    .faults()
    .map(
      (fault) =>
        html`<li><span class="what">Steam, ${fault.target} of ${nameOf(fault.steamId)}: ${effectWords(fault)} ${fault.when} its effect</span><small>${count(fault.remaining, 'time')}</small></li>`,
    );
  const pending = twitch.faults.pending();
  const onTwitch = pending.requests.map(
    (fault) =>
      html`<li><span class="what">Twitch, ${twitchWords(fault)}</span><small>${count(fault.times ?? 1, 'time')}</small></li>`,
  );
  const twice =
    pending.duplicateEvents > 0 &&
    html`<li><span class="what">Twitch, events that come twice</span><small>${count(pending.duplicateEvents, 'time')}</small></li>`;
  const late =
    pending.lateEvents > 0 &&
    html`<li><span class="what">Twitch, events that come late</span><small>${count(pending.lateEvents, 'time')}</small></li>`;
  const lost =
    pending.lostEvents > 0 &&
    html`<li><span class="what">Twitch, events that are lost</span><small>${count(pending.lostEvents, 'time')}</small></li>`;
  const refusing =
    pending.refusingChats > 0 &&
    html`<li><span class="what">Twitch, chats that refuse lines</span><small>${pending.refusingChats}</small></li>`;
  const dropping =
    pending.droppedLines > 0 &&
    html`<li><span class="what">Twitch, lines that Send Chat Message drops</span><small>${count(pending.droppedLines, 'time')}</small></li>`;
  const odd =
    pending.oddAnswers > 0 &&
    html`<li><span class="what">Twitch, odd answers</span><small>${count(pending.oddAnswers, 'time')}</small></li>`;
  const held =
    pending.heldLines !== null &&
    html`<li><span class="what">Twitch, all chat lines are held</span><small>${count(pending.heldLines, 'line')}</small></li>`;
  const onStripe = pendingStripe(worlds);
  if (
    onSteam.length + onTwitch.length + onStripe.length === 0 &&
    !twice &&
    !late &&
    !lost &&
    !refusing &&
    !dropping &&
    !odd &&
    !held
  ) {
    return html`<section><h2>Pending</h2><p class="hint">No pending trouble.</p></section>`;
  }
  return html`<section><h2>Pending</h2><ul class="rows">${onSteam}${onTwitch}${twice}${late}${lost}${refusing}${dropping}${odd}${held}${onStripe}</ul>
<form method="post" action="/trouble/clear"><button>Cancel all</button></form></section>`;
}

function options(entries: readonly (readonly [value: string, name: string])[], chosen = ''): Html[] {
  return entries.map(([value, name]) =>
    value === chosen
      ? html`<option value="${value}" selected>${name}</option>`
      : html`<option value="${value}">${name}</option>`,
  );
}

const times = html`<label class="short">Times <input name="times" type="number" min="1" max="1000" value="1"></label>`;

function steamRequestsSection({ steam }: PanelWorlds): Html {
  const bots = steam.users().filter((person) => person.login);
  const whose = html`<label>From <select name="steamId"><option value="">anybody</option>${options(bots.map((bot) => [bot.steamId, bot.name]))}</select></label>`;
  const presets = Object.keys(faultPresets).map((name) => [name, inWords(name)] as const);
  const effects = [
    ['status:500', 'answers 500'],
    ['status:503', 'answers 503'],
    ['status:429', 'answers 429'],
    ['status:401', 'answers 401'],
    ['drop', 'drops the socket'],
    ['result:16', 'result 16, timeout'],
    ['result:15', 'result 15, access denied'],
    ['result:25', 'result 25, limit exceeded'],
    ['result:26', 'result 26, items are not there'],
    ['result:20', 'result 20, item server down'],
  ] as const;
  return html`<section><h2>Steam: next requests</h2>
<form method="post" action="/trouble/steam/requests"><label class="wide">What <select name="preset">${options(presets)}</select></label>${whose}${times}<button>Set</button></form>
<details><summary>Any other</summary><form method="post" action="/trouble/steam/requests">
<label>Request <select name="target">${options(faultTargets.map((target) => [target, inWords(target)]))}</select></label>
<label>Answer <select name="effect">${options(effects)}</select></label>
<label>When <select name="when"><option value="before">instead of its effect</option><option value="after">after its effect</option></select></label>
${whose}${times}<button>Set</button></form></details></section>`;
}

function steamShapesSection({ steam }: PanelWorlds): Html {
  const { dialect } = steam.state;
  const fields = dialectParts.map(
    (part) =>
      html`<label>${inWords(part)} <select name="${part}">${options(Object.entries(dialects[part]), dialect[part])}</select></label>`,
  );
  return html`<section><h2>Steam: answer formats</h2><p class="hint">Public records show that Steam answers in each of these formats.</p>
<form method="post" action="/trouble/steam/shapes">${fields}<button>Apply</button></form></section>`;
}

function steamSessionsSection({ steam }: PanelWorlds): Html {
  const bots = steam.users().filter((person) => person.login);
  const rows = bots.map((bot) => {
    const isConnected = steam.isConnected(bot.steamId);
    return html`<li><span class="what">${bot.name} <span class="${isConnected ? 'badge on' : 'badge'}">${isConnected ? 'logged in' : 'not logged in'}</span></span>
<form method="post" action="/trouble/steam/sessions"><input type="hidden" name="steamId" value="${bot.steamId}">
${isConnected && html`<button name="act" value="kick">Log in elsewhere</button><button name="act" value="closeSocket">Close its socket</button>`}
<button name="act" value="killAccessTokens">Kill access tokens</button><button name="act" value="killRefreshTokens">Kill refresh tokens</button></form></li>`;
  });
  return html`<section><h2>Steam: bot sessions</h2><ul class="rows">${rows}</ul></section>`;
}

function twitchRequestsSection(): Html {
  const paths = [
    ['/mock/', 'Helix, all of it'],
    ['/mock/chat/chatters', 'Helix, chatters'],
    ['/mock/chat/messages', 'Helix, chat messages'],
    ['/mock/channels/followers', 'Helix, followers'],
    ['/mock/subscriptions', 'Helix, subscriptions'],
    ['/mock/channel_points/', 'Helix, channel points'],
    ['/mock/streams', 'Helix, streams'],
    ['/mock/users', 'Helix, users'],
    ['/auth/token', 'tokens'],
    ['/auth/validate', 'token validation'],
    ['/eventsub/subscriptions', 'EventSub subscriptions'],
    ['/ws', 'EventSub sockets'],
    ['/irc', 'chat connections'],
  ] as const;
  const answers = ['401', '403', '429', '400', '404', '500', '502', '503'].map(
    (status) => [status, `answers ${status}`] as const,
  );
  return html`<section><h2>Twitch: next requests</h2><form method="post" action="/trouble/twitch/requests">
<label>Request <select name="path">${options(paths)}</select></label>
<label>Answer <select name="answer">${options(answers)}<option value="drop">drops the socket</option></select></label>${times}
<label class="check"><input type="checkbox" name="afterEffect" value="true"> after its effect</label><button>Set</button></form></section>`;
}

function twitchOddAnswersSection(): Html {
  const answers = Object.entries(oddAnswers).map(
    ([name, { source }]) => [name, `${inWords(name)} (${source})`] as const,
  );
  return html`<section><h2>Twitch: odd answers</h2><p class="hint">Answers with status 200 that are not the whole truth. Each names where it comes from.</p>
<form method="post" action="/trouble/twitch/odd-answers"><label class="wide">Answer <select name="answer">${options(answers)}</select></label><label class="short">Times <input name="times" type="number" min="0" max="1000" value="1"></label><button>Set</button></form></section>`;
}

function clockSection({ clock }: PanelWorlds): Html {
  const minutes = Math.floor(clock.offsetMs() / 60_000);
  return html`<section><h2>Clock</h2>${
    minutes < 1
      ? html`<p class="hint">Once the clock was moved forward, it can leap back here.</p>`
      : html`<form method="post" action="/trouble/clock"><label class="short">Minutes <input name="minutes" type="number" min="1" max="${minutes}" value="${Math.min(60, minutes)}"></label><button>Leap back</button></form>`
  }</section>`;
}

/** The scopes by which a chat account and a broadcaster let chats be read by events. */
const chatScopes = ['channel:bot', 'user:bot', 'user:read:chat', 'user:write:chat', 'chat:read', 'chat:edit'];

const roles = [
  ['moderator', 'moderator'],
  ['lead_moderator', 'lead moderator'],
  ['', 'neither'],
] as const;

const broadcasterTypes = [
  ['', 'neither affiliate nor partner'],
  ['affiliate', 'affiliate'],
  ['partner', 'partner'],
] as const;

/** Crowds are not chosen from by name. */
const isPerson = ({ login }: { login: string }): boolean => !/^(demo_chatter|follower)_\d/.test(login);

function twitchSocketsSection({ twitch }: PanelWorlds): Html {
  const acts = [
    ['ircKill', 'Kill chat connections'],
    ['ircReconnect', 'Chat says RECONNECT'],
    ['ircHalfOpen', 'Chat falls silent'],
    ['eventSubReconnect', 'EventSub says reconnect'],
    ['eventSubDrop', 'Drop EventSub'],
    ['eventSubHalfOpen', 'EventSub falls silent'],
    ['eventSubDropShard', 'Drop one socket of a conduit'],
    ['eventSubDeleteConduits', 'Delete the conduits'],
  ].map(([act, name]) => html`<button name="act" value="${act}">${name}</button>`);
  const people = twitch
    .users()
    .filter(isPerson)
    .map((user) => [user.id, user.displayName] as const);
  return html`<section><h2>Twitch: now</h2><form method="post" action="/trouble/twitch/sockets">${acts}</form>
<form method="post" action="/trouble/twitch/expire-tokens"><button>Expire all access tokens</button></form>
<form method="post" action="/trouble/twitch/duplicates"><button>Send the next event twice</button></form>
<form method="post" action="/trouble/twitch/late"><button>Send the next event late</button></form>
<form method="post" action="/trouble/twitch/lost"><button>Lose the next event</button></form>
<form method="post" action="/trouble/twitch/followers"><label>Channel <select name="userId">${options(people)}</select></label><label class="short">Followers <input name="count" type="number" min="1" max="500000" value="5000"></label><button>Add followers</button></form>
<form method="post" action="/trouble/twitch/everywhere"><label>Who <select name="userId">${options(people)}</select></label><button>Put into all live chats</button></form>
<form method="post" action="/trouble/twitch/chat"><label>Chat of <select name="userId">${options(people)}</select></label><label>Answers <select name="refusal">${options([...Object.keys(chatRefusals).map((name) => [name, inWords(name.replaceAll('_', ' '))] as const), ['', 'nothing: it is open']])}</select></label><button>Refuse lines</button></form>
<form method="post" action="/trouble/twitch/drops"><label>Drop the next chat line <select name="reason">${options(Object.keys(chatDrops).map((name) => [name, inWords(name.replaceAll('_', ' '))] as const))}</select></label>${times}<button>Set</button></form>
<form method="post" action="/trouble/twitch/say"><label>Chat of <select name="broadcasterId">${options(people)}</select></label><label>Who <select name="userId">${options(people)}</select></label><label>How <select name="how">${options(oddLines.map((how) => [how, inWords(how)] as const))}</select></label><button>Say !progress</button></form>
<form method="post" action="/trouble/twitch/lines"><button name="act" value="hold">Hold chat lines</button><button name="act" value="release">Release them</button></form>
<form method="post" action="/trouble/twitch/moderators"><label>Chat of <select name="broadcasterId">${options(people)}</select></label><label>Who <select name="userId">${options(people)}</select></label><label>Is <select name="role">${options(roles)}</select></label><button>Set</button></form>
<form method="post" action="/trouble/twitch/rename"><label>Who <select name="userId">${options(people)}</select></label><label>New login <input name="login" required></label><button>Rename</button></form>
<form method="post" action="/trouble/twitch/type"><label>Channel <select name="userId">${options(people)}</select></label><label>Is <select name="type">${options(broadcasterTypes)}</select></label><button>Set</button></form>
<form method="post" action="/trouble/twitch/scopes"><label>Grant of <select name="userId">${options(people)}</select></label><label>Loses <select name="scope">${options(chatScopes.map((scope) => [scope, scope]))}</select></label><button>Take the scope away</button></form>
<form method="post" action="/trouble/twitch/suspend"><label>Account of <select name="userId">${options(people)}</select></label><button name="act" value="suspend">Suspend</button><button name="act" value="suspendOnly">Suspend, tokens live on</button><button name="act" value="lift">Lift</button></form>
<form method="post" action="/trouble/twitch/chatter-lag"><label class="short">Seconds <input name="seconds" type="number" min="0" max="3600" value="${twitch.chatterLagSeconds}"></label><button>Delay the list of chatters</button></form></section>`;
}

/** The page for ordering trouble, with a list of pending orders. */
export function addTroublePages(panel: Panel): void {
  const { worlds } = panel;
  panel.page('/trouble', () => ({
    title: 'Trouble',
    section: '/trouble',
    body: html`<p>Failures that happen on the real platforms. “After its effect” means that the request succeeded and only the answer is lost.</p>
${pendingSection(worlds)}
<div class="columns"><div>${steamRequestsSection(worlds)}${steamShapesSection(worlds)}${steamSessionsSection(worlds)}${clockSection(worlds)}${reportedShapesSection(worlds)}</div><div>${twitchRequestsSection()}${twitchOddAnswersSection()}${twitchSocketsSection(worlds)}${stripeTroubleSections(times)}</div></div>`,
  }));
}
