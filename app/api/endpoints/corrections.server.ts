import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { correctionRefusals, pauseRefusals } from '#app/services/forms/correction-refusals.server.ts';
import { boundedInt, requiredText } from '#app/services/forms/form-fields.server.ts';
import type { RefusalText } from '#app/services/forms/refusals.server.ts';
import { ruleTypes } from '#db/schema/rule.ts';
import { applyCorrection, isApplied } from '#domain/rule/apply-correction.ts';
import type { Correction } from '#domain/rule/correct-rule.ts';
import { correctionModeOf, correctionModes } from '#domain/rule/correction-mode.ts';
import { ruleBounds } from '#domain/rule/create-rule.ts';
import { endPause } from '#domain/rule/end-pause.ts';
import { listCorrections } from '#domain/rule/list-corrections.ts';
import { getRule, type ListedRule } from '#domain/rule/list-rules.ts';
import { pauseRule, SHORT_PAUSE_MS } from '#domain/rule/pause-rule.ts';
import { previewCorrection } from '#domain/rule/preview-correction.ts';
import { credentialOf } from '../caller.server.ts';
import { askedBy, changedFields, presentAsked } from '../conditions.ts';
import { endpoint } from '../endpoint.ts';
import { requireAttempts } from '../limits.server.ts';
import { correctionPreviewResource, correctionResource } from '../present.server.ts';
import { correctionPreviews, ruleCorrections, rules } from '../resources.ts';
import { base, idParams, notFound } from './fields.ts';
import { ruleOf } from './rule-answer.server.ts';

/** A correction: what is left out stays as it is. */
const change = z.strictObject({
  name: requiredText(ruleBounds.nameLength.max).optional(),
  rule_type: z.enum(ruleTypes).optional(),
  ...changedFields,
  claim_timeout_hours: boundedInt(ruleBounds.claimTimeoutHours).optional(),
});
const count = z.int().min(0);
/** The confirmation of a correction repeats what its preview said. */
const confirmation = change.extend({
  mode: z.enum(correctionModes),
  newly: count,
  leaving: count,
  again: z.boolean().default(false),
});

function wantedOf(rule: ListedRule, body: z.output<typeof change>): Correction {
  const { name = rule.name, rule_type: type = rule.type } = body;
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const claimTimeoutHours = body.claim_timeout_hours ?? rule.claimTimeoutHours;
  return { name, type, claimTimeoutHours, ...askedBy({ ...presentAsked(rule), ...given }) };
}

const recounted: RefusalText = { status: 409, key: 'correct.recounted' };

export const correctionEndpoints = [
  endpoint({
    method: 'POST',
    path: `${base}/rules/{id}/pause`,
    name: 'pauseRule',
    access: 'verified',
    params: idParams,
    body: {
      type: 'rule-pauses',
      attributes: z.strictObject({ until_resumed: z.boolean().default(false) }),
    },
    includes: { rewards: false },
    answers: { data: 'one', of: [rules] },
    refuses: { ...pauseRefusals, ...notFound },
    async handle({ db, nowMs, account, params, body, include, refuse }) {
      const resumesAtMs = body.until_resumed ? null : nowMs + SHORT_PAUSE_MS;
      const outcome = await pauseRule(db, { ruleId: params.id, userId: account.id, resumesAtMs }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await ruleOf(db, { ruleId: params.id, ownerId: account.id }, include) };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: `${base}/rules/{id}/pause`,
    name: 'resumeRule',
    access: 'verified',
    params: idParams,
    includes: { rewards: false },
    answers: { data: 'one', of: [rules] },
    refuses: { ...pauseRefusals, ...notFound },
    async handle({ db, nowMs, account, params, include, refuse }) {
      const outcome = await endPause(db, { ruleId: params.id, userId: account.id }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await ruleOf(db, { ruleId: params.id, ownerId: account.id }, include) };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/rules/{id}/corrections`,
    name: 'listCorrections',
    access: 'verified',
    params: idParams,
    answers: { data: 'many', of: [ruleCorrections] },
    refuses: notFound,
    async handle({ db, account, params, refuse }) {
      const rule = await getRule(db, { ruleId: params.id, ownerId: account.id });
      if (!rule) return refuse('notFound');
      return { data: (await listCorrections(db, rule.id)).map(correctionResource) };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/rules/{id}/corrections/preview`,
    name: 'previewCorrection',
    access: 'verified',
    params: idParams,
    body: { type: 'rule-correction-previews', attributes: change },
    answers: { data: 'one', of: [correctionPreviews] },
    refuses: { ...correctionRefusals, ...notFound },
    async handle({ db, nowMs, account, params, body, requestId, refuse }) {
      const rule = await getRule(db, { ruleId: params.id, ownerId: account.id });
      if (!rule) return refuse('notFound');
      const wanted = wantedOf(rule, body);
      const { paidDrawsAllowed } = config();
      const found = await correctionModeOf(db.read, { rule, wanted, paidDrawsAllowed });
      if (!found.ok) return refuse(found.code);
      await requireAttempts({ dryRunByAccount: account.id });
      const preview = await previewCorrection(db, { rule, wanted }, nowMs);
      return { data: correctionPreviewResource(requestId, { mode: found.mode, ...preview }, nowMs) };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/rules/{id}/corrections`,
    name: 'correctRule',
    access: 'verified',
    params: idParams,
    body: { type: 'rule-corrections', attributes: confirmation },
    repeatable: true,
    includes: { rewards: false },
    answers: { data: 'one', of: [rules] },
    refuses: { recounted, ...correctionRefusals, ...notFound },
    async handle({ request, db, nowMs, account, proof, params, body, include, requestId, refuse }) {
      const rule = await getRule(db, { ruleId: params.id, ownerId: account.id });
      if (!rule) return refuse('notFound');
      const { mode, newly, leaving, again, ...changed } = body;
      const wanted = wantedOf(rule, changed);
      const { paidDrawsAllowed } = config();
      const asked = { requestId, ruleId: rule.id, userId: account.id, wanted, paidDrawsAllowed };
      if (!(await isApplied(db.read, asked))) {
        const found = await correctionModeOf(db.read, { rule, wanted, paidDrawsAllowed });
        if (!found.ok) return refuse(found.code);
        await requireAttempts({ dryRunByAccount: account.id });
        const preview = await previewCorrection(db, { rule, wanted }, nowMs);
        if (found.mode !== mode || preview.newly !== newly || preview.leaving !== leaving)
          return refuse('recounted');
      }
      const by = await credentialOf(proof, request, account.id);
      const outcome = await applyCorrection(db, { ...asked, by, mode, again }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await ruleOf(db, { ruleId: outcome.ruleId, ownerId: account.id }, include) };
    },
  }),
];
