import { z } from 'zod';
import type { RequestFault } from '#sandbox/request-faults.ts';
import type { Fault } from '#sandbox/steam/state.ts';
import { flag } from './fields.ts';
import { type Html, html } from './html.ts';
import type { Panel, PanelWorlds } from './panel.ts';

/** More requests than the trouble page can order: such a fault lasts until its lever is moved back. */
const LASTING = 1_000_000_000;
const isLasting = (times: number | undefined) => (times ?? 1) > 1_000_000;
/** Seconds by which the list of chatters is late while its lever is on. */
const LAG_SECONDS = 120;

/** Trouble that lasts until it is switched off. */
interface Lever {
  name: string;
  does: string;
  isOn: (worlds: PanelWorlds) => boolean;
  set: (worlds: PanelWorlds, on: boolean) => void;
}

const silences = ({ steam }: PanelWorlds): Fault[] =>
  steam.faults().filter((one) => isLasting(one.remaining));
const outages = (faults: { pending: () => { requests: readonly RequestFault[] } }): RequestFault[] =>
  faults.pending().requests.filter(({ times }) => isLasting(times));

const levers = {
  steamSilent: {
    name: 'Steam is silent',
    does: 'No request to it gets an answer',
    isOn: (worlds) => silences(worlds).length > 0,
    set: (worlds, on) => {
      for (const { id } of silences(worlds)) worlds.steam.removeFault(id);
      if (on)
        worlds.steam.pushFault({ target: 'any', when: 'before', effect: { kind: 'drop' }, times: LASTING });
    },
  },
  twitchDown: {
    name: 'Twitch is down',
    does: 'Every request gets 503',
    isOn: ({ twitch }) => outages(twitch.faults).length > 0,
    set: ({ twitch }, on) => {
      for (const fault of outages(twitch.faults)) twitch.faults.stopFailing(fault);
      if (on) twitch.faults.failNext({ answer: 503, times: LASTING });
    },
  },
  chatHeld: {
    name: 'Chat is stuck',
    does: 'Its lines come when this ends',
    isOn: ({ twitch }) => twitch.faults.pending().heldLines !== null,
    set: ({ twitch }, on) => (on ? twitch.faults.holdLines() : twitch.faults.releaseLines()),
  },
  chattersLate: {
    name: 'The list of chatters is late',
    does: 'By two minutes',
    isOn: ({ twitch }) => twitch.chatterLagSeconds > 0,
    set: ({ twitch }, on) => {
      twitch.chatterLagSeconds = on ? LAG_SECONDS : 0;
    },
  },
} as const satisfies Record<string, Lever>;
type LeverName = keyof typeof levers;
const leverNames = Object.keys(levers) as [LeverName, ...LeverName[]];

/** The names of the levers that are on, for every page to show. */
export const leversOn = (worlds: PanelWorlds): string[] =>
  leverNames.filter((name) => levers[name].isOn(worlds)).map((name) => levers[name].name);

function leverCard(worlds: PanelWorlds, name: LeverName): Html {
  const { isOn, ...words } = levers[name];
  const on = isOn(worlds);
  return html`<li><form method="post" action="/trouble/lever"><input type="hidden" name="lever" value="${name}">
<button class="lever" role="switch" aria-checked="${String(on)}" name="on" value="${String(!on)}"><span><b>${words.name}</b> <small>${words.does}</small></span></button></form></li>`;
}

/** Trouble that happens once, by a button. */
function onceButtons({ steam }: PanelWorlds): Html {
  const bot = steam.users().find(({ login, steamId }) => login && steam.isConnected(steamId));
  return html`<div class="quick">${bot && html`<form method="post" action="/trouble/steam/sessions"><input type="hidden" name="steamId" value="${bot.steamId}"><button name="act" value="kick">Sign ${bot.name} out</button></form>`}
<form method="post" action="/trouble/twitch/expire-tokens"><button>Expire Twitch tokens</button></form>
<form method="post" action="/trouble/twitch/duplicates"><button>Send the next event twice</button></form>
<form method="post" action="/trouble/twitch/lost"><button>Lose the next event</button></form>
<form method="post" action="/trouble/clear"><button>All off</button></form></div>`;
}

/** The trouble that most people want to see, on the overview. */
export function troubleBoard(worlds: PanelWorlds): Html {
  return html`<section><h2><a href="/trouble">Trouble</a></h2><ul class="board">${leverNames.map((name) => leverCard(worlds, name))}</ul>${onceButtons(worlds)}</section>`;
}

export function addTroubleLevers(panel: Panel): void {
  panel.verb(
    '/trouble/lever',
    `Switches trouble on that lasts until it is switched off: \`lever\` is ${leverNames.join(', ')}.`,
    z.object({ lever: z.enum(leverNames), on: flag }),
    (_params, { lever, on }) => {
      levers[lever].set(panel.worlds, on);
      return { said: `${levers[lever].name}: ${on ? 'on' : 'off'}.`, page: '/trouble' };
    },
  );
}
