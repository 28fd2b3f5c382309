import { z } from 'zod';
import { weightRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import { getRuleProof, listDraws } from '#domain/view/get-proof.ts';
import { endpoint } from '../endpoint.ts';
import { kindsOfRule } from '../kind-ids.server.ts';
import { drawResource, proofResource, ruleRewardResource } from '../present.server.ts';
import { draws, proofs, ruleRewards } from '../resources.ts';
import { kindId } from '../shapes.ts';
import { base, idParams, notFound, weightField } from './fields.ts';

const weights = z.strictObject({
  weights: z
    .array(
      z.strictObject({
        kind_id: kindId,
        weight: weightField,
      }),
    )
    .min(1)
    .max(500),
});

export const drawEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/proofs/{id}`,
    name: 'getProof',
    access: 'anyone',
    params: idParams,
    answers: { data: 'one', of: [proofs] },
    refuses: notFound,
    async handle({ db, params, refuse }) {
      const proof = await getRuleProof(db, params.id);
      return proof ? { data: proofResource(proof) } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/proofs/{id}/draws`,
    name: 'listDraws',
    access: 'anyone',
    params: idParams,
    cursor: ['number'],
    answers: { data: 'many', of: [draws] },
    refuses: notFound,
    async handle({ db, params, page, refuse }) {
      if (!(await getRuleProof(db, params.id))) return refuse('notFound');
      const { rows, next } = await listDraws(db, { ruleId: params.id, ...page });
      return { data: rows.map((draw) => drawResource(params.id, draw)), next };
    },
  }),
  endpoint({
    method: 'PATCH',
    path: `${base}/rules/{id}/rewards`,
    name: 'setWeights',
    access: 'verified',
    params: idParams,
    body: { type: 'rule-rewards', attributes: weights },
    answers: { data: 'many', of: [ruleRewards], says: true },
    refuses: { ...weightRefusals, ...notFound },
    async handle({ db, nowMs, account, params, body, refuse }) {
      const rule = await findRuleOf(db.read, params.id, account.id);
      if (!rule) return refuse('notFound');
      const kindOf = await kindsOfRule(db, rule);
      const wanted = body.weights.map(({ kind_id, weight }) => ({ ...kindOf(kind_id), weight }));
      const asked = { ruleId: params.id, userId: account.id, weights: wanted };
      const outcome = await setKindWeights(db, asked, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      const kinds = await listRuleRewards(db, rule);
      return {
        data: kinds.map((kind) => ruleRewardResource(params.id, kind)),
        says: 'proof.weights.done',
      };
    },
  }),
];
