import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { dispatchEvents } from '#bot/twitch/events/event-dispatcher.ts';
import { carrierFor } from '#bot/twitch/events/event-listener.ts';
import { type Notification, readEventMessage } from '#bot/twitch/events/event-message.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { markSeen, pruneSeen, wasSeen } from '#domain/twitch-event/seen-messages.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';

const logged: Record<string, unknown>[] = [];
const log = pino({ level: 'warn' }, { write: (line) => logged.push(JSON.parse(line)) });

async function setIntake(handle: (word: string, channelId: string) => Promise<void> = async () => {}) {
  logged.length = 0;
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const handled: string[] = [];
  const caughtUp: string[] = [];
  const topic: Topic = {
    type: 'demo.said',
    version: '1',
    scope: null,
    condition: (channelId) => ({ broadcaster_user_id: channelId }),
    isNeeded: () => true,
    parse(event) {
      const { word, about } = z.object({ word: z.string(), about: z.string().nullish() }).parse(event);
      return {
        about: about ?? null,
        async handle(channelId) {
          await handle(word, channelId);
          handled.push(word);
        },
      };
    },
    catchUp: (channelId) => caughtUp.push(channelId),
  };
  /** Another process, or the same one after a restart. */
  const start = () => dispatchEvents({ db, log, topics: [topic] });
  const { take, settle } = start();
  return { db, handled, caughtUp, start, take, settle };
}

let messages = 0;
const message = (event: unknown, facts: Partial<Notification> = {}): Notification => ({
  messageId: `message-${++messages}`,
  sentAtMs: Date.now(),
  type: 'demo.said',
  channelId: '1001',
  event,
  ...facts,
});

describe('A message', () => {
  test('delivered again is handled once, whether at the same time, later or after a restart', async () => {
    const { db, handled, start, take, settle } = await setIntake();
    const one = message({ word: 'one' });
    take(one);
    take(one);
    await settle();
    take(one);
    await settle();
    const next = start();
    next.take(one);
    await next.settle();
    expect(handled).toEqual(['one']);
    expect(await wasSeen(db.read, one.messageId)).toBe(true);
  });

  test('whose handling failed is not marked as seen: it is caught up with, and handled when delivered again', async () => {
    let fails = true;
    const { db, handled, caughtUp, take, settle } = await setIntake(async () => {
      if (fails) throw new Error('no effect');
    });
    const one = message({ word: 'one' });
    take(one);
    await settle();
    expect(caughtUp).toEqual(['1001']);
    expect(await wasSeen(db.read, one.messageId)).toBe(false);
    fails = false;
    take(one);
    await settle();
    expect(handled).toEqual(['one']);
  });

  test('older than one already handled about the same subject is ignored', async () => {
    const { handled, take, settle } = await setIntake();
    const nowMs = Date.now();
    take(message({ word: 'newer', about: 'it' }, { sentAtMs: nowMs }));
    take(message({ word: 'older', about: 'it' }, { sentAtMs: nowMs - 1 }));
    take(message({ word: 'of another', about: 'that' }, { sentAtMs: nowMs - 1 }));
    take(message({ word: 'of any time' }, { sentAtMs: nowMs - 1 }));
    take(message({ word: 'of another channel', about: 'it' }, { sentAtMs: nowMs - 1, channelId: '1002' }));
    await settle();
    expect(handled.toSorted()).toEqual(['newer', 'of another', 'of another channel', 'of any time']);
  });

  test('that is older than ten minutes, invalid or unexpected has no effect', async () => {
    const { db, handled, take, settle } = await setIntake();
    take(message({ word: 'old' }, { sentAtMs: Date.now() - 11 * minute }));
    take(message({ nonsense: true }));
    take(message({ word: 'foreign' }, { type: 'demo.sung' }));
    take(message({ word: 'of nobody' }, { channelId: '' }));
    await settle();
    expect(handled).toEqual([]);
    // An invalid message stays invalid, so it is marked as seen.
    expect(await db.read.select().from(seenMessages)).toHaveLength(1);
  });

  test('that is old by our clock is counted, logged once a minute, and caught up with', async () => {
    const { caughtUp, handled, take, settle } = await setIntake();
    const startMs = Date.now();
    holdTime(startMs);
    onTestFinished(() => void vi.useRealTimers());
    for (const word of ['one', 'two', 'three']) take(message({ word }, { sentAtMs: startMs - 11 * minute }));
    await settle();
    passTime(minute);
    take(message({ word: 'four' }, { sentAtMs: startMs - 11 * minute }));
    await settle();
    expect(handled).toEqual([]);
    expect(caughtUp).toEqual(['1001', '1001', '1001', '1001']);
    expect(logged).toMatchObject([
      { count: 1, ageMs: 11 * minute, channelId: '1001' },
      { count: 4, ageMs: 12 * minute },
    ]);
  });

  test('waits for earlier ones of its channel, and for no others', async () => {
    const open: Record<string, () => void> = {};
    const { handled, take, settle } = await setIntake(
      (word) =>
        new Promise((resolve) => {
          if (word === 'slow') open[word] = resolve;
          else resolve();
        }),
    );
    take(message({ word: 'slow' }));
    take(message({ word: 'behind it' }));
    take(message({ word: 'elsewhere' }, { channelId: '1002' }));
    await expect.poll(() => handled).toEqual(['elsewhere']);
    await expect.poll(() => open.slow).toBeDefined();
    open.slow?.();
    await settle();
    expect(handled).toEqual(['elsewhere', 'slow', 'behind it']);
  });

  test('is pruned a day after it was handled', async () => {
    const { db } = await setIntake();
    await markSeen(db, 'old', 1000);
    await markSeen(db, 'young', 1001);
    await pruneSeen(db, 1001 + day);
    expect((await db.read.select().from(seenMessages)).map(({ id }) => id)).toEqual(['young']);
  });
});

describe('A socket message', () => {
  const wrap = (type: string, payload: unknown, at = '2030-01-02T03:04:05.123456789Z') =>
    JSON.stringify({
      metadata: { message_id: 'id-1', message_type: type, message_timestamp: at },
      payload,
    });
  const subscription = {
    id: 'subscription-1',
    type: 'stream.online',
    status: 'enabled',
    condition: { broadcaster_user_id: '1001', reward_id: null },
  };

  test('is parsed as Twitch documents it', () => {
    const session = { id: 'session-1', keepalive_timeout_seconds: 30, reconnect_url: null };
    expect(readEventMessage(wrap('session_welcome', { session }))).toEqual({
      kind: 'welcome',
      sessionId: 'session-1',
      keepaliveMs: 30_000,
    });
    expect(readEventMessage(wrap('notification', { subscription, event: { id: '7' } }))).toEqual({
      kind: 'notification',
      notification: {
        messageId: 'id-1',
        sentAtMs: Date.parse('2030-01-02T03:04:05.123Z'),
        type: 'stream.online',
        channelId: '1001',
        event: { id: '7' },
      },
    });
    const moving = {
      ...session,
      keepalive_timeout_seconds: null,
      reconnect_url: 'wss://twitch.example/ws?x=1',
    };
    expect(readEventMessage(wrap('session_reconnect', { session: moving }))).toEqual({
      kind: 'reconnect',
      url: 'wss://twitch.example/ws?x=1',
    });
    expect(readEventMessage(wrap('something_new', {}))).toEqual({ kind: 'unknown' });
  });

  test.each([
    ['not JSON', '{'],
    ['without metadata', '{}'],
    ['an empty notification', wrap('notification', { event: {} })],
    ['a message with an invalid time', wrap('notification', { subscription, event: {} }, 'soon')],
    [
      'a reconnect to an invalid URL',
      wrap('session_reconnect', { session: { id: '1', reconnect_url: 'https://x.example' } }),
    ],
  ])('is refused if it is %s', (_name, text) => {
    expect(() => readEventMessage(text)).toThrow();
  });
});

test('A conduit is used from fifty channels on, and left only when a fifth of them are gone', () => {
  const walk = [49, 50, 49, 41, 40, 39, 40, 49, 50];
  let now: ReturnType<typeof carrierFor> | null = null;
  const chosen = walk.map((channels) => {
    now = carrierFor(channels, now, 50);
    return now;
  });
  expect(chosen).toEqual([
    'sockets',
    'conduit',
    'conduit',
    'conduit',
    'conduit',
    'sockets',
    'sockets',
    'sockets',
    'conduit',
  ]);
});
