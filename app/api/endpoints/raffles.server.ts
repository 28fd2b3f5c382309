import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { boundedInt } from '#app/services/forms/form-fields.server.ts';
import { actRefusals, raffleRefusals } from '#app/services/forms/raffle-refusals.server.ts';
import type { Database } from '#db/database.ts';
import { minute } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { findRaffleOf, listEntryPage, listRaffles } from '#domain/raffle/list-raffles.ts';
import { prepareRaffle, raffleBounds } from '#domain/raffle/prepare-raffle.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { DEFAULT_CLAIM_TIMEOUT_HOURS } from '#domain/rule/create-rule.ts';
import { credentialOf } from '../caller.server.ts';
import { askedBy, draftFields } from '../conditions.ts';
import { endpoint } from '../endpoint.ts';
import { kindsInCustody } from '../kind-ids.server.ts';
import { raffleEntryResource, raffleResource } from '../present-raffles.server.ts';
import { raffleEntries, raffles } from '../resources.ts';
import { kindId } from '../shapes.ts';
import { base, idParams, notFound } from './fields.ts';

const { winners, minutes, winnersOutDays, claimTimeoutHours } = raffleBounds;

const { watch_scope: _, points_cost: __, ...asked } = draftFields;
const draft = z.strictObject({
  keyword: z.string().max(100),
  kind_id: kindId,
  winners: boundedInt(winners).default(1),
  minutes: boundedInt(minutes).default(5),
  // Nothing is counted from the beginning of a raffle, and entering costs nothing.
  ...asked,
  winners_out_days: boundedInt(winnersOutDays).default(0),
  moderators_may_enter: z.boolean().default(true),
  claim_timeout_hours: boundedInt(claimTimeoutHours).default(DEFAULT_CLAIM_TIMEOUT_HOURS),
});
const start = z.strictObject({ minutes: boundedInt(minutes).optional() });

const { notRunning, listClosed, ...startRefusals } = actRefusals;

/** Presents a raffle of the caller's; null if it is not theirs. */
async function raffleOf(db: Database, { raffleId, ownerId }: { raffleId: string; ownerId: string }) {
  const raffle = await findRaffleOf(db.read, { raffleId, ownerId });
  return raffle && raffleResource(raffle);
}

export const raffleEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/raffles`,
    name: 'listRaffles',
    access: 'verified',
    cursor: ['text'],
    answers: { data: 'many', of: [raffles] },
    async handle({ db, account, page }) {
      const { rows, next } = await listRaffles(db.read, { ownerId: account.id, ...page });
      return { data: rows.map(raffleResource), next };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/raffles`,
    name: 'prepareRaffle',
    access: 'verified',
    body: { type: 'raffles', attributes: draft },
    repeatable: true,
    answers: { status: 201, data: 'one', of: [raffles], says: true },
    refuses: { ...raffleRefusals, ...notFound },
    async handle({ request, db, nowMs, account, proof, body, requestId, refuse }) {
      const kindOf = await kindsInCustody(db, account.id);
      const outcome = await prepareRaffle(
        db,
        {
          requestId,
          userId: account.id,
          by: await credentialOf(proof, request, account.id),
          paidDrawsAllowed: config().paidDrawsAllowed,
          draft: {
            ...{ keyword: body.keyword, winners: body.winners, minutes: body.minutes },
            kind: kindOf(body.kind_id),
            conditions: askedBy({ ...body, watch_scope: 'allTime', points_cost: null }),
            winnersOutDays: body.winners_out_days,
            moderatorsMayEnter: body.moderators_may_enter,
            claimTimeoutHours: body.claim_timeout_hours,
          },
        },
        nowMs,
      );
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      const data = await raffleOf(db, { raffleId: outcome.raffleId, ownerId: account.id });
      return data ? { data, says: 'raffle.done.prepare' } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/raffles/{id}`,
    name: 'getRaffle',
    access: 'verified',
    params: idParams,
    answers: { data: 'one', of: [raffles] },
    refuses: notFound,
    async handle({ db, account, params, refuse }) {
      const data = await raffleOf(db, { raffleId: params.id, ownerId: account.id });
      return data ? { data } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/raffles/{id}/start`,
    name: 'startRaffle',
    access: 'verified',
    params: idParams,
    body: { type: 'raffles', attributes: start },
    answers: { data: 'one', of: [raffles], says: true },
    refuses: startRefusals,
    async handle({ request, db, nowMs, account, proof, params, body, refuse }) {
      const own = { raffleId: params.id, ownerId: account.id };
      if (!(await findRaffleOf(db.read, own))) return refuse('notFound');
      const lengthMs = body.minutes === undefined ? undefined : body.minutes * minute;
      const by = await credentialOf(proof, request, account.id);
      const outcome = await startRaffle(db, { raffleId: params.id, lengthMs, by }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await raffleOf(db, own), says: 'raffle.done.start' };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/raffles/{id}/draw`,
    name: 'drawRaffle',
    access: 'verified',
    params: idParams,
    answers: { data: 'one', of: [raffles], says: true },
    refuses: { ...notFound, notRunning },
    async handle({ db, nowMs, account, params, refuse }) {
      const own = { raffleId: params.id, ownerId: account.id };
      if (!(await findRaffleOf(db.read, own))) return refuse('notFound');
      const outcome = await closeRaffle(db, { raffleId: params.id }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await raffleOf(db, own), says: 'raffle.done.draw' };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: `${base}/raffles/{id}`,
    name: 'cancelRaffle',
    access: 'verified',
    params: idParams,
    answers: { data: 'one', of: [raffles], says: true },
    refuses: { ...notFound, listClosed },
    async handle({ db, nowMs, account, params, refuse }) {
      const own = { raffleId: params.id, ownerId: account.id };
      if (!(await findRaffleOf(db.read, own))) return refuse('notFound');
      const outcome = await cancelRaffle(db, { raffleId: params.id }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await raffleOf(db, own), says: 'raffle.done.cancel' };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/raffles/{id}/entries`,
    name: 'listRaffleEntries',
    access: 'anyone',
    params: idParams,
    cursor: ['number'],
    answers: { data: 'many', of: [raffleEntries] },
    refuses: notFound,
    async handle({ db, params, page, refuse }) {
      const entries = await listEntryPage(db.read, { raffleId: params.id, ...page });
      if (!entries) return refuse('notFound');
      const data = entries.rows.map((entry) => raffleEntryResource(params.id, entry));
      return { data, next: entries.next };
    },
  }),
];
