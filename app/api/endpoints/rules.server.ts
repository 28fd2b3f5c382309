import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { boundedInt, requiredText } from '#app/services/forms/form-fields.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { poolRefusals, ruleRefusals } from '#app/services/forms/trading-refusals.server.ts';
import type { Database } from '#db/database.ts';
import { ruleStates, ruleTypes } from '#db/schema/rule.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import {
  createRule,
  DEFAULT_CLAIM_TIMEOUT_HOURS,
  type RuleDraft,
  ruleBounds,
  ruleRefusalOf,
} from '#domain/rule/create-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import { dryRun } from '#domain/view/dry-run.ts';
import { credentialOf, isConfirmedCall } from '../caller.server.ts';
import { askedBy, draftFields } from '../conditions.ts';
import { cooldownText } from '../cooldown.server.ts';
import { endpoint } from '../endpoint.ts';
import { kindsInCustody, kindsOfRule } from '../kind-ids.server.ts';
import { requireAttempts } from '../limits.server.ts';
import { dryRunResource, ruleRewardResource } from '../present.server.ts';
import { dryRuns, ruleRewards, rules } from '../resources.ts';
import { base, idParams, notFound, picked, pickedWithWeights, searchFilter, some } from './fields.ts';
import { ruleOf, withRewards } from './rule-answer.server.ts';

const { nameLength, claimTimeoutHours } = ruleBounds;

const draft = z.strictObject({
  name: requiredText(nameLength.max),
  rule_type: z.enum(ruleTypes).default('one'),
  channel_id: z
    .string()
    .regex(/^\d{1,20}$/)
    .nullable()
    .default(null),
  ...draftFields,
  claim_timeout_hours: boundedInt(claimTimeoutHours).default(DEFAULT_CLAIM_TIMEOUT_HOURS),
});
const opening = draft.extend({ items: pickedWithWeights.default([]) });
const pool = z.strictObject({ items: picked });
const weighedPool = z.strictObject({ items: pickedWithWeights });

const draftOf = (body: z.output<typeof draft>): RuleDraft => ({
  name: body.name,
  type: body.rule_type,
  ...askedBy(body),
  claimTimeoutHours: body.claim_timeout_hours,
});

/** The amounts of a body in the domain's names. */
async function kindsIn(db: Database, ownerId: string, given: z.output<typeof pickedWithWeights>) {
  if (given.length === 0) return [];
  const kindOf = await kindsInCustody(db, ownerId);
  return given.map(({ kind_id, ...amount }) => ({ ...kindOf(kind_id), ...amount }));
}

export const ruleEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/rules`,
    name: 'listRules',
    access: 'verified',
    filter: z.strictObject({ state: z.enum(ruleStates).optional(), name: searchFilter }),
    cursor: ['text'],
    includes: { rewards: false },
    answers: { data: 'many', of: [rules] },
    async handle({ db, account, filter, page, include }) {
      const states = filter.state && [filter.state];
      const { rows, next } = await listRules(db, {
        ownerId: account.id,
        search: filter.name,
        states,
        ...page,
      });
      return { data: await Promise.all(rows.map((rule) => withRewards(db, rule, include))), next };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/rules`,
    name: 'createRule',
    access: 'verified',
    body: { type: 'rules', attributes: opening },
    repeatable: true,
    includes: { rewards: false },
    answers: { status: 201, data: 'one', of: [rules], says: true },
    refuses: { ...ruleRefusals, ...notFound },
    async handle({ request, db, nowMs, account, proof, body, requestId, include, refuse }) {
      const kinds = await kindsIn(db, account.id, body.items);
      const outcome = await createRule(
        db,
        {
          requestId,
          userId: account.id,
          channelId: body.channel_id,
          draft: draftOf(body),
          kinds,
          paidDrawsAllowed: config().paidDrawsAllowed,
          by: await credentialOf(proof, request, account.id),
        },
        nowMs,
      );
      if (!outcome.ok && outcome.code === 'notEnough')
        return refuse(outcome.code, 'items', await cooldownText(db, { ownerId: account.id, kinds }, nowMs));
      if (!outcome.ok) return refuse(outcome.code);
      // If the key is the id of someone else's rule, the answer must not reveal it.
      const data = await ruleOf(db, { ruleId: outcome.ruleId, ownerId: account.id }, include);
      return data ? { data, says: 'messages.ruleCreated' } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/rules/dry-run`,
    name: 'tryRule',
    access: 'verified',
    body: { type: 'dry-runs', attributes: draft },
    answers: { data: 'one', of: [dryRuns] },
    refuses: { ...ruleRefusals, ...notFound },
    async handle({ db, nowMs, account, body, requestId, refuse }) {
      await requireAttempts({ dryRunByAccount: account.id });
      const asked = { userId: account.id, channelId: body.channel_id, draft: draftOf(body) };
      const { paidDrawsAllowed } = config();
      const refused = await ruleRefusalOf(db.read, { ...asked, paidDrawsAllowed }, nowMs);
      if (refused) return refuse(refused);
      const outcome = await dryRun(db, asked, nowMs);
      return outcome.ok ? { data: dryRunResource(requestId, outcome.found) } : refuse(outcome.code);
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/rules/{id}`,
    name: 'getRule',
    access: 'verified',
    params: idParams,
    includes: { rewards: true },
    answers: { data: 'one', of: [rules] },
    refuses: notFound,
    async handle({ db, account, params, include, refuse }) {
      const rule = await getRule(db, { ruleId: params.id, ownerId: account.id });
      return rule ? { data: await withRewards(db, rule, include) } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'DELETE',
    path: `${base}/rules/{id}`,
    name: 'closeRule',
    access: 'verified',
    params: idParams,
    includes: { rewards: false },
    answers: { data: 'one', of: [rules], says: true },
    refuses: { ...some(accountRefusals, 'identityUnconfirmed'), ...notFound },
    async handle({ context, proof, db, nowMs, account, params, include, refuse }) {
      const unconfirmed = !isConfirmedCall({ context, proof });
      const outcome = await closeRule(db, { ruleId: params.id, userId: account.id, unconfirmed }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      const data = await ruleOf(db, { ruleId: params.id, ownerId: account.id }, include);
      return { data, says: 'messages.ruleDeleted' };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/rules/{id}/rewards`,
    name: 'listRuleRewards',
    access: 'verified',
    params: idParams,
    answers: { data: 'many', of: [ruleRewards] },
    refuses: notFound,
    async handle({ db, account, params, refuse }) {
      const rule = await getRule(db, { ruleId: params.id, ownerId: account.id });
      if (!rule) return refuse('notFound');
      const rewards = await listRuleRewards(db, rule);
      return { data: rewards.map((kind) => ruleRewardResource(rule.id, kind)) };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/rules/{id}/rewards`,
    name: 'addRewards',
    access: 'verified',
    params: idParams,
    body: { type: 'rule-rewards', attributes: weighedPool },
    repeatable: true,
    includes: { rewards: false },
    answers: { data: 'one', of: [rules], says: true },
    refuses: { ...poolRefusals, ...notFound },
    async handle({ request, db, nowMs, account, proof, params, body, requestId, include, refuse }) {
      const kinds = await kindsIn(db, account.id, body.items);
      const by = await credentialOf(proof, request, account.id);
      const asked = { requestId, ruleId: params.id, userId: account.id, kinds, by };
      const outcome = await attachRewards(db, asked, nowMs);
      if (!outcome.ok && outcome.code === 'notEnough') {
        const detail = await cooldownText(db, { ownerId: account.id, kinds }, nowMs);
        return refuse(outcome.code, 'items', detail);
      }
      if (!outcome.ok) return refuse(outcome.code);
      const data = await ruleOf(db, { ruleId: params.id, ownerId: account.id }, include);
      return { data, says: 'messages.rewardsAdded' };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: `${base}/rules/{id}/rewards`,
    name: 'removeRewards',
    access: 'verified',
    params: idParams,
    body: { type: 'rule-rewards', attributes: pool },
    repeatable: true,
    includes: { rewards: false },
    answers: { data: 'one', of: [rules], says: true },
    refuses: { ...poolRefusals, ...notFound },
    async handle({ db, nowMs, account, params, body, requestId, include, refuse }) {
      const rule = await findRuleOf(db.read, params.id, account.id);
      if (!rule) return refuse('notFound');
      const kindOf = await kindsOfRule(db, rule);
      const kinds = body.items.map(({ kind_id, quantity }) => ({ ...kindOf(kind_id), quantity }));
      const asked = { requestId, ruleId: params.id, userId: account.id, kinds };
      const outcome = await detachRewards(db, asked, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      const data = await ruleOf(db, { ruleId: params.id, ownerId: account.id }, include);
      return { data, says: 'messages.rewardsRemoved' };
    },
  }),
];
