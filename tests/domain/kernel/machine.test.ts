import { describe, expect, test } from 'vitest';
import { billingActStates } from '#db/schema/billing.ts';
import { itemStates } from '#db/schema/item.ts';
import { redemptionStates } from '#db/schema/redemption.ts';
import { rewardStates } from '#db/schema/reward.ts';
import { ruleStates } from '#db/schema/rule.ts';
import { liveTransferStates, openOfferStates, transferStates } from '#db/schema/transfer.ts';
import { itemMachine } from '#domain/item/item-machine.ts';
import { eventOfStatus, redemptionMachine } from '#domain/redemption/redemption-machine.ts';
import { settlementForReward } from '#domain/reward/queue-settlement.ts';
import { rewardMachine } from '#domain/reward/reward-machine.ts';
import { ruleMachine } from '#domain/rule/rule-machine.ts';
import { actMachine } from '#domain/subscription/act-machine.ts';
import { eventOfOffer, transferMachine } from '#domain/transfer/transfer-machine.ts';

/** The allowed steps, one per line: `from --event--> to`. */
const transferSteps = [
  'queued --started--> sending',
  'queued --withdrawn--> cancelled',
  'sending --created--> unconfirmed',
  'sending --sent--> sent',
  'sending --refused--> failed',
  'sending --deferred--> queued',
  'sending --answerLost--> uncertain',
  'uncertain --foundUnconfirmed--> unconfirmed',
  'uncertain --foundSent--> sent',
  'uncertain --provenAbsent--> queued',
  'unconfirmed --confirmed--> sent',
  'unconfirmed --cancelled--> cancelled',
  'unconfirmed --invalidated--> failed',
  'unconfirmed --mistaken--> uncertain',
  'unconfirmed --unseen--> queued',
  'sent --accepted--> accepted',
  'sent --escrowed--> escrowed',
  'sent --declined--> declined',
  'sent --expired--> expired',
  'sent --cancelled--> cancelled',
  'sent --invalidated--> failed',
  'escrowed --accepted--> accepted',
  'escrowed --rolledBack--> failed',
  'accepted --settled--> settled',
  'accepted --reversed--> reversed',
];

const rewardSteps = [
  'free --promised--> promised',
  'free --detached--> recalled',
  'free --depositReversed--> recalled',
  'promised --claimStarted--> reserved',
  'promised --timedOut--> recalled',
  'promised --revoked--> recalled',
  'promised --stopped--> recalled',
  'promised --depositReversed--> recalled',
  'reserved --delivered--> claimed',
  'reserved --offerEnded--> promised',
  'reserved --offerEndedLate--> recalled',
  'reserved --offerStopped--> recalled',
  'reserved --depositReversed--> recalled',
  'claimed --reversed--> recalled',
];

const itemSteps = [
  'held --offered--> outgoing',
  'held --lost--> missing',
  'held --depositReversed--> gone',
  'outgoing --offerEnded--> held',
  'outgoing --delivered--> delivered',
  'outgoing --lost--> missing',
  'outgoing --depositReversed--> gone',
  'delivered --settled--> gone',
  'delivered --reversed--> held',
  'missing --found--> held',
  'missing --delivered--> delivered',
  'missing --depositReversed--> gone',
  'missing --released--> gone',
];

const actSteps = [
  'due --done--> done',
  'due --answered--> due',
  'due --silent--> due',
  'due --early--> due',
  'due --withdrawn--> withdrawn',
  'due --outOfTime--> abandoned',
  'done --wanted--> due',
  'withdrawn --wanted--> due',
  'abandoned --wanted--> due',
];

const ruleSteps = [
  'open --paused--> paused',
  'open --closed--> closed',
  'paused --resumed--> open',
  'paused --closed--> closed',
];

const redemptionSteps = [
  'open --fulfilled--> fulfilled',
  'open --refunded--> refunded',
  'fulfilled --reopened--> open',
  'refunded --reopened--> open',
];

interface Walkable {
  table: Record<string, Record<string, string>>;
  next(state: string, event: string): string | null;
  isTerminal(state: string): boolean;
}

const machines: [name: string, states: readonly string[], steps: string[], machine: Walkable][] = [
  ['transfer', transferStates, transferSteps, transferMachine as Walkable],
  ['reward', rewardStates, rewardSteps, rewardMachine as Walkable],
  ['item', itemStates, itemSteps, itemMachine as Walkable],
  ['redemption', redemptionStates, redemptionSteps, redemptionMachine as Walkable],
  ['rule', ruleStates, ruleSteps, ruleMachine as Walkable],
  ['billing act', billingActStates, actSteps, actMachine as Walkable],
];

describe.each(machines)('The %s machine', (_name, states, steps, machine) => {
  const events = [
    ...new Set([
      ...Object.values(machine.table).flatMap((row) => Object.keys(row)),
      ...steps.map((step) => /--(\w+)-->/.exec(step)?.[1] ?? ''),
    ]),
  ];

  test('lists every state that its table allows', () => {
    expect(Object.keys(machine.table).sort()).toEqual([...states].sort());
  });

  test('reacts to every event in every state as listed, and in no other way', () => {
    const walked = states.flatMap((state) =>
      events.flatMap((event) => {
        const to = machine.next(state, event);
        return to === null ? [] : [`${state} --${event}--> ${to}`];
      }),
    );
    expect(walked.sort()).toEqual([...steps].sort());
  });

  test('ends in states without further events', () => {
    const leaving = new Set(steps.map((step) => step.split(' ')[0]));
    expect(states.filter((state) => machine.isTerminal(state))).toEqual(
      states.filter((state) => !leaving.has(state)),
    );
  });
});

test('A transfer is live until its items have changed hands or it ended without', () => {
  const over = ['accepted', 'settled', 'reversed', 'declined', 'expired', 'cancelled', 'failed'];
  expect(transferStates.filter((state) => !over.includes(state))).toEqual([...liveTransferStates]);
  expect(liveTransferStates.filter((state) => state !== 'queued')).toEqual([...openOfferStates]);
});

test('Every Steam offer state maps to one event, or to none', () => {
  // ETradeOfferState: 1 to 11 in Steam’s order.
  expect(Object.entries(eventOfOffer)).toEqual([
    ['Invalid', 'invalidated'],
    ['Active', null],
    ['Accepted', 'accepted'],
    ['Countered', 'declined'],
    ['Expired', 'expired'],
    ['Canceled', 'cancelled'],
    ['Declined', 'declined'],
    ['InvalidItems', 'invalidated'],
    ['CreatedNeedsConfirmation', null],
    ['CanceledBySecondFactor', 'cancelled'],
    ['InEscrow', 'escrowed'],
  ]);
});

test('Every Twitch redemption status maps to one event, or to none', () => {
  expect(eventOfStatus).toEqual({ UNFULFILLED: null, FULFILLED: 'fulfilled', CANCELED: 'refunded' });
});

test('Points are kept when the reward was delivered, refunded when it was recalled, and open until then', () => {
  const settlements = { free: null, promised: null, reserved: null, claimed: 'fulfil', recalled: 'refund' };
  expect(settlementForReward).toEqual(settlements);
});
