import { day, hour } from '#domain/kernel/time.ts';
import type { Notes } from './notes.ts';
import type { Journey, Transfer } from './read-journey.ts';
import type { StepName } from './steps.ts';

/** A difference between what happened and what the sandbox does in its plain dialect. No ids, no names. */
export interface Difference {
  step: StepName;
  what: string;
}

/** The events of a transfer in the sandbox. */
const usualEvents = {
  deposit: ['requested', 'started', 'sent', 'accepted', 'settled'],
  claim: ['requested', 'started', 'created', 'confirmed', 'accepted', 'settled'],
} as const;
/** Length of Trade Protection in the sandbox. */
const PROTECTION_MS = 7 * day;
/** Clocks of both sides and rounding. */
const TOLERANCE_MS = hour;

/** Returns in which ways the journey so far differs from the sandbox's. */
export function compareWithSandbox({ deposit, claim }: Journey, { steps }: Notes): Difference[] {
  const recorded = Object.entries(steps).flatMap(([step, { clocks, doubts }]) =>
    [...clocks, ...doubts].map((what) => ({ step: step as StepName, what })),
  );
  return [
    ...(deposit ? eventsOf('deposit', deposit, usualEvents.deposit) : []),
    ...(deposit ? protectionOf('lock', deposit) : []),
    ...(claim ? eventsOf('delivery', claim, usualEvents.claim) : []),
    ...(claim ? protectionOf('protection', claim) : []),
    ...recorded,
  ];
}

function eventsOf(
  step: StepName,
  { events, tradeId, acceptedAtMs }: Transfer,
  usual: readonly string[],
): Difference[] {
  const unusual = [...new Set(events)].filter((event) => !usual.includes(event));
  const repeated = usual.filter((event) => events.filter((each) => each === event).length > 1);
  const missing = usual
    .slice(0, usual.indexOf(events.at(-1) ?? ''))
    .filter((event) => !events.includes(event));
  return [
    ...unusual.map((event) => `the transfer had the event “${event}”`),
    ...repeated.map((event) => `the transfer had the event “${event}” more than once`),
    ...missing.map((event) => `the transfer did not have the event “${event}”`),
    ...(acceptedAtMs !== null && tradeId === null ? ['Steam never named the trade'] : []),
  ].map((what) => ({ step, what }));
}

function protectionOf(step: StepName, { acceptedAtMs, settlesAtMs }: Transfer): Difference[] {
  if (acceptedAtMs === null) return [];
  const lastsMs = (settlesAtMs ?? acceptedAtMs) - acceptedAtMs;
  if (Math.abs(lastsMs - PROTECTION_MS) <= TOLERANCE_MS) return [];
  const hours = Math.round(lastsMs / hour);
  return [{ step, what: `the trade could be reversed for ${hours} hours, not for ${PROTECTION_MS / hour}` }];
}
