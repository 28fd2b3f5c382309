import type { BotDeps } from '#bot/deps.ts';
import { watchTwitchEvent } from '#bot/twitch/answer-shapes.ts';
import { countLate } from '#bot/twitch/count-late.ts';
import { minute } from '#domain/kernel/time.ts';
import { markSeen, wasSeen } from '#domain/twitch-event/seen-messages.ts';
import type { Notification } from './event-message.ts';
import type { ParsedEvent, Topic } from './event-topics.ts';

/**
 * Twitch's recommended protection against replays: older messages are not handled, but caught up with later.
 * A host clock that is ahead makes every message old. System time.
 */
const MAX_AGE_MS = 10 * minute;

type Deps = Pick<BotDeps, 'db' | 'log'> & { topics: readonly Topic[] };

/**
 * Handles each carrier message once, in order per channel, channels in parallel. A message is marked as seen after its
 * effect, in a separate transaction: after a crash in between it is handled again, which every handler tolerates. When
 * handling fails, the topic's `catchUp` finds what was missed.
 */
export function dispatchEvents({ db, log, topics }: Deps) {
  const topicOf = new Map(topics.map((topic) => [topic.type, topic]));
  const queues = new Map<string, Promise<void>>();
  const newest = trackNewest();
  const reportLate = countLate(log, 'events are too old by our clock; what they reported is read again');

  const parseEvent = ({ type, event, messageId }: Notification, topic: Topic): ParsedEvent | null => {
    watchTwitchEvent(type, event);
    try {
      return topic.parse(event);
    } catch (error) {
      log.warn({ err: error, topic: type, messageId }, 'could not parse an event');
      return null;
    }
  };

  const handle = async (notification: Notification, topic: Topic): Promise<void> => {
    const { messageId, channelId, sentAtMs } = notification;
    if (await wasSeen(db.read, messageId)) return;
    if (Date.now() - sentAtMs > MAX_AGE_MS) {
      reportLate({ topic: notification.type, channelId, sentAtMs });
      topic.catchUp?.(channelId);
      return;
    }
    const parsed = parseEvent(notification, topic);
    const about = parsed?.about ? `${channelId} ${parsed.about}` : null;
    if (parsed && (about === null || newest.isNewest(about, sentAtMs))) await parsed.handle(channelId);
    await markSeen(db, messageId, Date.now());
  };

  return {
    take(notification: Notification): void {
      const { channelId, type } = notification;
      const topic = topicOf.get(type);
      if (!topic || !channelId) {
        log.warn({ topic: type, channelId }, 'unexpected event');
        return;
      }
      const done = (queues.get(channelId) ?? Promise.resolve())
        .then(() => handle(notification, topic))
        .catch((error) => {
          log.error({ err: error, topic: type, channelId }, 'could not handle an event');
          topic.catchUp?.(channelId);
        })
        .finally(() => {
          if (queues.get(channelId) === done) queues.delete(channelId);
        });
      queues.set(channelId, done);
    },
    /** Resolves when every message taken so far has been handled. */
    async settle(): Promise<void> {
      await Promise.all(queues.values());
    },
  };
}

/**
 * Remembers the time of the latest message about each subject, for as long as an older one may still arrive.
 */
function trackNewest() {
  const sent = new Map<string, number>();
  return {
    isNewest(about: string, sentAtMs: number): boolean {
      if (sentAtMs < (sent.get(about) ?? 0)) return false;
      // The map keeps its insertion order, so the oldest entries come first.
      sent.delete(about);
      sent.set(about, sentAtMs);
      for (const [oldest, atMs] of sent) {
        if (Date.now() - atMs <= MAX_AGE_MS) break;
        sent.delete(oldest);
      }
      return true;
    },
  };
}
