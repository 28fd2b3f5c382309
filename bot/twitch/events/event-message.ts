import { z } from 'zod';
import { chatTopicType } from '#bot/twitch/chat/chat-topic.ts';

const subscription = z.object({
  id: z.string().min(1),
  type: z.string().min(1),
  status: z.string(),
  condition: z.record(z.string(), z.string().nullish()),
});
const session = z.object({
  id: z.string().min(1),
  keepalive_timeout_seconds: z.number().positive().nullish(),
  reconnect_url: z.url({ protocol: /^wss?$/ }).nullish(),
});
const messageOf = z.object({
  metadata: z.object({
    message_id: z.string().min(1),
    message_type: z.string(),
    message_timestamp: z.string(),
  }),
  payload: z.unknown(),
});

/** An event on a channel. */
export interface Notification {
  messageId: string;
  /** Twitch's system time. */
  sentAtMs: number;
  type: string;
  channelId: string;
  event: unknown;
}

/** Twitch ended a subscription on its own. */
export interface Revocation {
  subscriptionId: string;
  type: string;
  channelId: string;
  /** The chat account that read it, for topics of chat accounts. */
  readerId: string | undefined;
  /** Twitch's reason. */
  status: string;
}

export type EventMessage =
  | { kind: 'welcome'; sessionId: string; keepaliveMs: number }
  | { kind: 'keepalive' }
  | { kind: 'reconnect'; url: string }
  | { kind: 'notification'; notification: Notification }
  | { kind: 'revocation'; revocation: Revocation }
  | { kind: 'unknown' };

const USUAL_KEEPALIVE_SECONDS = 10;

/** Parses a message from an EventSub socket. Throws when it does not match Twitch's documentation. */
export function readEventMessage(text: string): EventMessage {
  const received: unknown = JSON.parse(text);
  const chatLine = readChatLine(received);
  if (chatLine) return chatLine;
  const { metadata, payload } = messageOf.parse(received);
  switch (metadata.message_type) {
    case 'session_welcome': {
      const welcome = z.object({ session }).parse(payload).session;
      const seconds = welcome.keepalive_timeout_seconds ?? USUAL_KEEPALIVE_SECONDS;
      return { kind: 'welcome', sessionId: welcome.id, keepaliveMs: seconds * 1000 };
    }
    case 'session_keepalive':
      return { kind: 'keepalive' };
    case 'session_reconnect': {
      const url = z.object({ session }).parse(payload).session.reconnect_url;
      return url ? { kind: 'reconnect', url } : { kind: 'unknown' };
    }
    case 'notification': {
      const given = z.object({ subscription, event: z.unknown() }).parse(payload);
      const { type, condition } = given.subscription;
      return {
        kind: 'notification',
        notification: {
          messageId: metadata.message_id,
          sentAtMs: timeOf(metadata.message_timestamp),
          type,
          channelId: condition.broadcaster_user_id ?? '',
          event: given.event,
        },
      };
    }
    case 'revocation': {
      const { id, type, status, condition } = z.object({ subscription }).parse(payload).subscription;
      const channelId = condition.broadcaster_user_id ?? '';
      const readerId = condition.user_id || undefined;
      return { kind: 'revocation', revocation: { subscriptionId: id, type, channelId, readerId, status } };
    }
    default:
      return { kind: 'unknown' };
  }
}

interface RawMessage {
  metadata?: Partial<
    Record<'message_id' | 'message_type' | 'message_timestamp' | 'subscription_type', unknown>
  >;
  payload?: { subscription?: { condition?: { broadcaster_user_id?: unknown } }; event?: unknown };
}

/**
 * Reads a chat line without the schemas, because lines come by the thousand and most are no commands. Null if
 * it is no line, or not as documented, which the schemas then decide.
 */
function readChatLine(received: unknown): EventMessage | null {
  const { metadata, payload } = received as RawMessage;
  if (metadata?.subscription_type !== chatTopicType || metadata.message_type !== 'notification') return null;
  const { message_id: messageId, message_timestamp: sentAt } = metadata;
  const channelId = payload?.subscription?.condition?.broadcaster_user_id;
  const event = payload?.event;
  if (typeof messageId !== 'string' || typeof sentAt !== 'string' || typeof channelId !== 'string')
    return null;
  const sentAtMs = timeOf(sentAt);
  return {
    kind: 'notification',
    notification: { messageId, sentAtMs, type: chatTopicType, channelId, event },
  };
}

function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (!Number.isFinite(ms)) throw new Error(`not a time: ${text}`);
  return ms;
}
