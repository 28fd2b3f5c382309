import { type PushEvent, pushEvents } from '#db/schema/push.ts';
import { day } from '#domain/kernel/time.ts';

/** Care of a push service for a notice: how long it waits for a device that is away, and whether it wakes one up. */
export interface PushCare {
  /** At most this long; a promise's end comes first. */
  maxAgeMs: number;
  urgency: 'normal' | 'high';
}

/** Push services keep nothing for longer than four weeks. */
export const careOf = {
  promised: { maxAgeMs: 28 * day, urgency: 'normal' },
  reminder: { maxAgeMs: day, urgency: 'high' },
  offerSent: { maxAgeMs: day, urgency: 'high' },
  delivered: { maxAgeMs: 3 * day, urgency: 'normal' },
} as const satisfies Record<PushEvent, PushCare>;

const needPlan: Record<PushEvent, boolean> = {
  promised: false,
  reminder: false,
  offerSent: false,
  delivered: true,
};

/** Returns whether notices of an event are part of the plans with notifications about rewards, as its mail is. */
export const pushNeedsPlan = (event: PushEvent): boolean => needPlan[event];

/** The events that are stored as muted. */
export const mutedEventsIn = (stored: string): PushEvent[] => {
  const muted = stored.split(' ');
  return pushEvents.filter((event) => muted.includes(event));
};
