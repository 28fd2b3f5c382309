import { expect, onTestFinished, test, vi } from 'vitest';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import type { LineWay } from '#bot/twitch/chat/line-ways.ts';
import { sharedHolds } from '#bot/twitch/chat/shared-holds.ts';
import { second } from '#domain/kernel/time.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';

/** A chat that is held, in held time, and the looks at it; a look shows what `next` says. */
function setHeld() {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const room: ChatRoom = { login: 'demo', channelId: '700', fault: null };
  const state: { way: LineWay; next: LineWay } = { way: 'held', next: 'held' };
  const looks: string[] = [];
  const holds = sharedHolds({
    rooms: () => [room],
    wayInto: () => state.way,
    look: async (channelId) => {
      looks.push(channelId);
      state.way = state.next;
    },
    onFault: (_channelId, fault) => {
      room.fault = fault;
    },
    mayAct: () => true,
  });
  return {
    ...{ room, state, holds, looks },
    /** Returns how often Twitch is asked after this time. */
    async looksAfter(ms: number) {
      passTime(ms);
      looks.length = 0;
      await holds.check();
      return looks.length;
    },
  };
}

test('A shared chat is in trouble at once, and asked about after pauses that grow, up to a limit', async () => {
  const { room, looksAfter } = setHeld();
  expect([await looksAfter(0), room.fault]).toEqual([1, 'shared']);
  for (const pauseMs of [30, 60, 120, 120].map((seconds) => seconds * second)) {
    expect(await looksAfter(pauseMs - 1)).toBe(0);
    expect(await looksAfter(1)).toBe(1);
  }
});

test('Its trouble ends with the look that shows that nobody shares it, and not while that is unknown', async () => {
  const { room, state, looksAfter } = setHeld();
  await looksAfter(0);
  state.next = 'unknown';
  await looksAfter(30 * second);
  expect(room.fault).toBe('shared');
  state.next = 'irc';
  // Asked again soon, because nothing was known.
  await looksAfter(30 * second);
  expect(room.fault).toBeNull();
});

test('A chat that has another trouble keeps it', async () => {
  const { room, looksAfter } = setHeld();
  room.fault = 'banned';
  await looksAfter(0);
  expect(room.fault).toBe('banned');
});

test('A round that waits for Twitch is not begun a second time', async () => {
  const { holds, looks } = setHeld();
  await Promise.all([holds.check(), holds.check()]);
  expect(looks).toEqual(['700']);
});
