import { z } from 'zod';
import { call } from '#bot/twitch/api.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';

const listing = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      type: z.string(),
      status: z.string(),
      condition: z.record(z.string(), z.string().nullish()),
      transport: z.object({
        session_id: z.string().nullish(),
        conduit_id: z.string().nullish(),
        disconnected_at: z.string().nullish(),
      }),
    }),
  ),
});
type Found = z.infer<typeof listing>['data'][number];

interface Options {
  channelId: string;
  topic: Topic;
  create(): Promise<{ id: string }>;
  /** Lists the subscriptions of the same owner that name the channel. */
  list(): Promise<unknown>;
  end(id: string): Promise<unknown>;
  /** Returns whether a session or conduit is the one to subscribe for. */
  isHere(carrierId: string): boolean;
  /** Returns whether a session was this process's and is lost. */
  isLost(sessionId: string): boolean;
}

/**
 * Makes a subscription and returns its id. After a 409, which names nobody, Twitch's list shows where the one
 * leads that exists already: if it leads here, an answer was lost; if its session is over, it is ended and
 * made anew (Battle-Cattle/BCUK-Bot-4 pull 569). One that may be another process's stays, and this fails.
 */
export async function makeSubscription(options: Options): Promise<string> {
  const { topic, channelId, create, list, end, isHere, isLost } = options;
  try {
    return (await call(create())).id;
  } catch (error) {
    const { statusCode } = ((error as Error).cause ?? {}) as { statusCode?: number };
    if (statusCode !== 409) throw error;
  }
  const same = listing.parse(await call(list())).data.filter((one) => isSame(one, topic, channelId));
  const carrierOf = ({ transport }: Found) => transport.conduit_id ?? transport.session_id ?? '';
  const isOver = ({ status, transport }: Found) => status !== 'enabled' || Boolean(transport.disconnected_at);
  const here = same.find((one) => !isOver(one) && isHere(carrierOf(one)));
  if (here) return here.id;
  const over = same.filter((one) => isOver(one) || isLost(carrierOf(one)));
  if (over.length === 0)
    throw new TwitchFault('unavailable', 'the subscription is perhaps another process’s');
  for (const { id } of over) await call(end(id));
  return (await call(create())).id;
}

function isSame({ type, condition }: Found, topic: Topic, channelId: string): boolean {
  const wanted = topic.condition(channelId);
  return type === topic.type && Object.keys(wanted).every((name) => condition[name] === wanted[name]);
}
