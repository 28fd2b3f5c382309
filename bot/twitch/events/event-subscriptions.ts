import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/events/event-api.ts';
import { type CarrierEvents, isPersonal, type WantedSubscription } from '#bot/twitch/events/event-carrier.ts';
import type { Revocation } from '#bot/twitch/events/event-message.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

const AT_A_TIME = 10;

/** One topic of one channel. */
interface Line {
  channelId: string;
  topic: Topic;
}

interface Deps {
  log: BotDeps['log'];
  api: Pick<EventApi, 'listOfConduit' | 'subscribeConduit' | 'unsubscribeConduit'>;
  events: CarrierEvents;
  /** What was refused is asked for again after this time. System time. */
  askAgainMs: number;
}

const nameOf = (channelId: string, type: string): string => `${channelId} ${type}`;
const linesOf = (wanted: WantedSubscription): Line[] =>
  [...wanted].flatMap(([channelId, topics]) => topics.map((topic) => ({ channelId, topic })));

/** What a conduit subscribes to: read from Twitch, which keeps it, and brought to what is wanted. */
export function conduitSubscriptions({ log, api, events, askAgainMs }: Deps) {
  /** Ids by channel and topic; null: Twitch had it already and did not say its id. */
  let made = new Map<string, string | null>();
  const refusals = refusalsOf(askAgainMs);
  const askableInMs = ({ channelId, topic }: Line) => refusals.askableInMs(nameOf(channelId, topic.type));

  const subscribe = async ({ channelId, topic }: Line, conduitId: string): Promise<void> => {
    const name = nameOf(channelId, topic.type);
    events.misses(channelId, topic);
    try {
      made.set(name, await api.subscribeConduit(channelId, topic, conduitId));
      events.hears(channelId, topic);
    } catch (error) {
      const fault = twitchFaultOf(error);
      refusals.add(name);
      log.warn({ channelId, topic: topic.type, code: fault.code, err: fault }, 'an event is not heard');
      if (fault.retry === 'afterHuman') events.permissionDoubted(channelId);
    }
  };

  const unsubscribe = async (name: string, id: string | null): Promise<void> => {
    made.delete(name);
    if (id) await endSubscription({ api, log }, name, id);
  };

  const isMade = ({ channelId, topic }: Line): boolean => made.has(nameOf(channelId, topic.type));

  return {
    isMade: (channelId: string, topic: Topic) => isMade({ channelId, topic }),
    /** Learns from Twitch what there is; what does not work any more is taken away, to be made anew. */
    async read(conduitId: string): Promise<void> {
      const listed = await api.listOfConduit(conduitId);
      made = new Map(listed.map(({ id, type, channelId }) => [nameOf(channelId, type), id]));
      const broken = listed.filter(({ isEnabled }) => !isEnabled);
      await inBatches(broken, ({ id, type, channelId }) => unsubscribe(nameOf(channelId, type), id));
    },
    /** Subscribes to what is wanted and missing, and ends what is not wanted. */
    async bringTo(wanted: WantedSubscription, conduitId: string): Promise<void> {
      const lines = linesOf(wanted);
      const names = new Set(lines.map(({ channelId, topic }) => nameOf(channelId, topic.type)));
      const unwanted = [...made].filter(([name]) => !names.has(name));
      await inBatches(unwanted, ([name, id]) => unsubscribe(name, id));
      const missing = lines.filter((line) => !isMade(line) && askableInMs(line) === 0);
      await inBatches(missing, (line) => subscribe(line, conduitId));
    },
    /** In how many milliseconds something that was refused may be asked for again; at the latest after the usual time. */
    askInMs(wanted: WantedSubscription): number {
      const missing = linesOf(wanted).filter((line) => !isMade(line));
      return Math.min(askAgainMs, ...missing.map(askableInMs));
    },
    /** What was sent lately may be lost. */
    doubtAll(wanted: WantedSubscription): void {
      for (const { channelId, topic } of linesOf(wanted)) events.misses(channelId, topic);
    },
    /** Everything that is made is heard again. */
    tellAll(wanted: WantedSubscription): void {
      for (const line of linesOf(wanted)) if (isMade(line)) events.hears(line.channelId, line.topic);
    },
    revoked({ subscriptionId, type, channelId, status }: Revocation): void {
      const name = nameOf(channelId, type);
      if (made.get(name) === subscriptionId) made.delete(name);
      refusals.add(name);
      log.warn({ channelId, topic: type, status }, 'Twitch took back a subscription');
      if (isPersonal(status)) events.permissionDoubted(channelId);
    },
    forget(): void {
      made = new Map();
    },
  };
}

/** One that Twitch does not end is still heard, which does no harm. */
async function endSubscription(
  { api, log }: Pick<Deps, 'api' | 'log'>,
  name: string,
  id: string,
): Promise<void> {
  await api.unsubscribeConduit(id).catch((error) => {
    log.debug({ name, code: twitchFaultOf(error).code }, 'an event is still heard');
  });
}

/** What Twitch refused, until it may be asked for again. */
function refusalsOf(askAgainMs: number) {
  const refusedAtMs = new Map<string, number>();
  return {
    add: (name: string): void => void refusedAtMs.set(name, Date.now()),
    askableInMs: (name: string): number =>
      Math.max(0, (refusedAtMs.get(name) ?? 0) + askAgainMs - Date.now()),
  };
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_A_TIME)
    await Promise.all(all.slice(from, from + AT_A_TIME).map(work));
}
