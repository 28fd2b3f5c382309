import { z } from 'zod';
import type { CustomReward, Redemption, TwitchUser } from '#sandbox/twitch/world-state.ts';
import { id, optionalText, wholeNumber } from './fields.ts';
import { type Html, html } from './html.ts';
import { time } from './layout.ts';
import { type Panel, PanelRefusal, type PanelWorlds } from './panel.ts';
import { chooseUser, namedUsers, requireTwitchUser } from './twitch-words.ts';

/** Adds viewers' acts with channel points, and the streamer's settling of redemptions by hand. */
export function addChannelPointsVerbs(panel: Panel): void {
  const { twitch } = panel.worlds;
  const points = twitch.channelPoints;
  const pageOf = (broadcasterId: string) => `/twitch/${requireTwitchUser(twitch, broadcasterId).id}`;
  panel.verb(
    '/twitch/:broadcasterId/redeem',
    'Spends channel points on a custom reward of the channel.',
    z.object({ userId: id, rewardId: id, userInput: optionalText(500) }),
    ({ broadcasterId }, { userId, rewardId, userInput }) => {
      const page = pageOf(broadcasterId);
      const user = requireTwitchUser(twitch, userId).displayName;
      const outcome = twitch.redeem(broadcasterId, userId, rewardId, userInput);
      if (!outcome.ok) throw new PanelRefusal(409, `Twitch refused the redemption: ${outcome.code}.`);
      const { redemption } = outcome;
      return { said: `${user} redeemed "${redemption.reward.title}".`, page, result: { redemption } };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/points',
    'Sets how many channel points a user has on the channel.',
    z.object({ userId: id, points: wholeNumber(0, 100_000_000) }),
    ({ broadcasterId }, { userId, points: amount }) => {
      const page = pageOf(broadcasterId);
      const user = requireTwitchUser(twitch, userId).displayName;
      points.setBalance(broadcasterId, userId, amount);
      return { said: `${user} has ${amount} points.`, page };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/redemptions/:redemptionId',
    'Settles a redemption manually, as the streamer can: `FULFILLED` keeps the points, `CANCELED` refunds them.',
    z.object({ status: z.enum(['FULFILLED', 'CANCELED']) }),
    ({ broadcasterId, redemptionId }, { status }) => {
      const page = pageOf(broadcasterId);
      const isHere = points.redemptionsOf(broadcasterId).some((one) => one.id === redemptionId);
      const redemption = isHere ? points.setStatus(redemptionId, status) : null;
      if (!redemption) throw new PanelRefusal(409, 'There is no such open redemption on this channel.');
      const said = status === 'FULFILLED' ? 'The points are kept.' : 'The points were refunded.';
      return { said, page, result: { redemption } };
    },
  );
  panel.verb(
    '/twitch/:broadcasterId/rewards/:rewardId/delete',
    'Deletes a custom reward manually, as the streamer can; open redemptions count as fulfilled.',
    z.object({}),
    ({ broadcasterId, rewardId }) => {
      const page = pageOf(broadcasterId);
      const isHere = points.rewardsOf(broadcasterId).some((one) => one.id === rewardId);
      if (!isHere) throw new PanelRefusal(404, 'There is no such custom reward on this channel.');
      points.deleteReward(rewardId);
      return { said: 'The custom reward was deleted.', page };
    },
  );
}

/** The channel's custom rewards and latest redemptions, with the streamer's actions. */
export function pointsSection({ twitch }: PanelWorlds, user: TwitchUser): Html {
  const rewards = twitch.channelPoints.rewardsOf(user.id);
  const viewers = namedUsers(twitch).filter((viewer) => viewer.id !== user.id);
  const options = rewards.map((one) => html`<option value="${one.id}">${one.title} (${one.cost})</option>`);
  const redemptions = twitch.channelPoints.redemptionsOf(user.id).slice(-8).reverse();
  const forms = html`<form method="post" action="/twitch/${user.id}/redeem">${chooseUser(viewers, 'Viewer')}
<label>Reward <select name="rewardId">${options}</select></label><label>Message <input name="userInput" maxlength="500"></label><button>Redeem</button></form>
<form method="post" action="/twitch/${user.id}/points">${chooseUser(viewers, 'Viewer')}
<label class="short">Points <input name="points" type="number" min="0" max="100000000" value="50000" required></label><button>Set the balance</button></form>`;
  const none = html`<p class="hint">No custom rewards yet. The product creates them for rules with channel points.</p>`;
  const nameOf = (userId: string) => twitch.userById(userId)?.displayName ?? userId;
  return html`<section><h2>Channel points</h2>${rewards.length > 0 ? forms : none}
<ul class="rows">${rewards.map((reward) => rewardRow(user.id, reward))}</ul>
<ul class="rows">${redemptions.map((one) => redemptionRow(user.id, nameOf(one.userId), one))}</ul></section>`;
}

function rewardRow(broadcasterId: string, reward: CustomReward): Html {
  const state = reward.isEnabled ? (reward.isPaused ? 'paused' : 'open') : 'hidden';
  const lit =
    state === 'open' ? html`<span class="badge on">open</span>` : html`<span class="badge">${state}</span>`;
  return html`<li><span class="what"><strong>${reward.title}</strong> ${lit} <small>${reward.cost} points. ${reward.prompt}</small></span>
<form method="post" action="/twitch/${broadcasterId}/rewards/${reward.id}/delete"><button class="danger">Delete</button></form></li>`;
}

function redemptionRow(broadcasterId: string, name: string, redemption: Redemption): Html {
  const at = `/twitch/${broadcasterId}/redemptions/${redemption.id}`;
  const hands = html`<form method="post" action="${at}"><button name="status" value="FULFILLED">Complete</button>
<button class="danger" name="status" value="CANCELED">Refund</button></form>`;
  return html`<li><span class="what">${name}: ${redemption.reward.title} <small>${time(redemption.redeemedAtMs)}</small></span>
<span class="badge">${redemption.status.toLowerCase()}</span>${redemption.status === 'UNFULFILLED' ? hands : null}</li>`;
}
