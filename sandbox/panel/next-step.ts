import { offerState, type TradeOffer } from '#sandbox/steam/state.ts';
import type { SteamWorld } from '#sandbox/steam/world.ts';
import type { TwitchUser } from '#sandbox/twitch/world-state.ts';
import { type Html, html } from './html.ts';
import type { PanelWorlds } from './panel.ts';
import { broadcasters, namedUsers } from './twitch-words.ts';

/** Offers that wait for a person, newest first; bots answer for themselves. */
export function offersToAnswer(steam: SteamWorld): TradeOffer[] {
  return steam
    .users()
    .filter(({ login }) => login === null)
    .flatMap(({ steamId }) =>
      steam.offersOf(steamId).filter(({ to, state }) => to === steamId && state === offerState.active),
    )
    .reverse();
}

/** The channel that the overview is about: the one that is live, or else the first. */
export function shownChannel({ twitch }: PanelWorlds): TwitchUser | undefined {
  const channels = broadcasters(twitch);
  return channels.find(({ id }) => twitch.streamOf(id)) ?? channels[0];
}

interface Step {
  title: string;
  text: string;
  act: Html | null;
}

/** The next step, as far as the world knows: it sees streams, chats and offers, but not the product. */
function nextStep(worlds: PanelWorlds, channel: TwitchUser): Step & { place: number } {
  const { twitch, steam } = worlds;
  const [offer] = offersToAnswer(steam);
  const chatters = new Set(twitch.chattersOf(channel.id).map(({ id }) => id));
  const viewers = namedUsers(twitch).filter(({ broadcasterType }) => broadcasterType === '');
  // The first of them speaks for the product.
  const viewer = viewers.find(({ login }) => login.startsWith('demo_viewer')) ?? viewers.at(-1);
  if (offer) {
    const receiver = steam.userBySteamId(offer.to)?.name ?? offer.to;
    return {
      place: 4,
      title: `accept the offer to ${receiver}`,
      text: 'Compare its code with the one in the product, then accept it here.',
      act: html`<form method="post" action="/steam/users/${offer.to}/offers/${offer.id}/accept"><button class="primary">Accept</button></form>`,
    };
  }
  if (!twitch.streamOf(channel.id))
    return {
      place: 1,
      title: `go live as ${channel.displayName}`,
      text: 'Watch time counts only during a stream. In the product, create a rule of two minutes first, and add rewards to it.',
      act: html`<form method="post" action="/twitch/${channel.id}/live"><button class="primary">Go live</button></form>`,
    };
  if (viewer && !viewers.some(({ id }) => chatters.has(id)))
    return {
      place: 2,
      title: `let ${viewer.displayName} join the chat`,
      text: 'Whoever is in the chat is watching.',
      act: html`<form method="post" action="/twitch/${channel.id}/chatters/join"><input type="hidden" name="userId" value="${viewer.id}"><button class="primary">Join chat</button></form>`,
    };
  return {
    place: 3,
    title: 'let the minutes pass',
    text: `Press +1 minute until a rule is met. Then sign in to the product as ${viewer?.displayName ?? 'a viewer'}, open Reward progress and claim.`,
    act: html`<form method="post" action="/clock/advance"><button class="primary" name="ms" value="60000">+1 minute</button></form>`,
  };
}

const story = [
  'Create a rule',
  'Go live',
  'Viewers join',
  'They watch and claim',
  'Accept on Steam',
  'Cause trouble',
];

/** The next step as a headline with its one button, and the whole story with the steps before it ticked. */
export function nextStepSection(worlds: PanelWorlds): Html | null {
  const channel = shownChannel(worlds);
  if (!channel) return null;
  const { place, title, text, act } = nextStep(worlds, channel);
  const steps = story.map((name, index) => {
    const current = index === place ? html` aria-current="step"` : null;
    const done = index < place ? html` class="done"` : null;
    return html`<li${done}${current}>${index === story.length - 1 ? html`<a href="/trouble">${name}</a>` : name}</li>`;
  });
  return html`<section class="next"><h2>Next: ${title}</h2><p>${text}</p>${act}<ol class="story">${steps}</ol></section>`;
}
