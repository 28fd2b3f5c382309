import { z } from 'zod';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { claimRefusals, stopRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { type RewardState, stopReasons } from '#db/schema/reward.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { isId } from '#domain/kernel/id.ts';
import { promiseStatuses } from '#domain/reward/promise-status.ts';
import { getGivenReward, listGivenRewards } from '#domain/view/list-given-rewards.ts';
import { getMyReward, listMyRewards } from '#domain/view/list-my-rewards.ts';
import { listProgress, progressStatuses } from '#domain/view/list-progress.ts';
import { endpoint } from '../endpoint.ts';
import { givenRewardResource, progressResource, rewardResource } from '../present.server.ts';
import { givenRewards, rewardProgress, rewards } from '../resources.ts';
import { base, channelFilter, idParams, momentFilter, notFound, searchFilter } from './fields.ts';

const openStates = ['promised', 'reserved'] as const satisfies RewardState[];
const endedStates = ['claimed', 'recalled'] as const satisfies RewardState[];

export const rewardEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/reward-progress`,
    name: 'listRewardProgress',
    access: 'verified',
    filter: z.strictObject({ status: z.enum(progressStatuses).optional(), channel_id: channelFilter }),
    cursor: ['number', 'text'],
    includes: { channel: false },
    answers: { data: 'many', of: [rewardProgress] },
    async handle({ db, nowMs, account, filter, page }) {
      const { status, channel_id: channelId } = filter;
      const asked = { userId: account.id, status, channelId, ...page };
      const { rows, next } = await listProgress(db, asked, nowMs);
      return { data: rows.map(progressResource), next };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/rewards`,
    name: 'listRewards',
    access: 'verified',
    filter: z.strictObject({ state: z.enum(openStates).optional(), channel_id: channelFilter }),
    cursor: ['number', 'text'],
    includes: { channel: false },
    answers: { data: 'many', of: [rewards] },
    async handle({ db, account, filter, page }) {
      const states = filter.state ? [filter.state] : openStates;
      const asked = { userId: account.id, states, channelId: filter.channel_id, ...page };
      const { rows, next } = await listMyRewards(db, asked);
      return { data: rows.map(rewardResource), next };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/rewards/{id}`,
    name: 'getReward',
    access: 'verified',
    params: idParams,
    includes: { channel: true },
    answers: { data: 'one', of: [rewards] },
    refuses: notFound,
    async handle({ db, account, params, refuse }) {
      const reward = await getMyReward(db, { rewardId: params.id, userId: account.id });
      return reward ? { data: rewardResource(reward) } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/reward-history`,
    name: 'listRewardHistory',
    access: 'verified',
    filter: z.strictObject({ state: z.enum(endedStates).optional(), channel_id: channelFilter }),
    cursor: ['number', 'text'],
    includes: { channel: false },
    answers: { data: 'many', of: [rewards] },
    async handle({ db, account, filter, page }) {
      const states = filter.state ? [filter.state] : endedStates;
      const asked = { userId: account.id, states, channelId: filter.channel_id, ...page };
      const { rows, next } = await listMyRewards(db, asked);
      return { data: rows.map(rewardResource), next };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/given-rewards`,
    name: 'listGivenRewards',
    access: 'verified',
    filter: z.strictObject({
      search: searchFilter,
      status: z.enum(promiseStatuses).optional(),
      rule_id: z.string().refine(isId).optional(),
      from: momentFilter,
      until: momentFilter,
    }),
    cursor: ['number', 'text'],
    answers: { data: 'many', of: [givenRewards] },
    async handle({ db, account, filter, page }) {
      const { search, status, rule_id: ruleId, from: fromMs, until: untilMs } = filter;
      const statuses = status && [status];
      const asked = { ownerId: account.id, search, statuses, ruleId, fromMs, untilMs, ...page };
      const { rows, next } = await listGivenRewards(db, asked);
      return { data: rows.map(givenRewardResource), next };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/given-rewards/{id}/stop`,
    name: 'stopClaim',
    access: 'verified',
    params: idParams,
    body: { type: 'claim-stops', attributes: z.strictObject({ reason: z.enum(stopReasons) }) },
    answers: { status: 202, data: 'one', of: [givenRewards] },
    refuses: { ...stopRefusals, ...notFound },
    async handle({ db, nowMs, account, params, body, refuse }) {
      const asked = { rewardId: params.id, ownerId: account.id };
      const outcome = await stopClaim(db, { ...asked, reason: body.reason }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      const given = await getGivenReward(db, asked);
      return given ? { data: givenRewardResource(given) } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/claims`,
    name: 'claimReward',
    access: 'verified',
    body: { type: 'claims', attributes: z.strictObject({ reward_id: z.string().refine(isId) }) },
    includes: { channel: true },
    answers: { status: 202, data: 'one', of: [rewards] },
    refuses: { ...claimRefusals, ...notFound },
    async handle({ db, nowMs, account, body, refuse }) {
      const asked = { rewardId: body.reward_id, userId: account.id };
      const outcome = await claimReward(db, asked, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      const reward = await getMyReward(db, asked);
      return reward ? { data: rewardResource(reward) } : refuse('notFound');
    },
  }),
];
