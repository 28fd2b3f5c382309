import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { LineEnd } from '#bot/twitch/chat/chat-sender.ts';
import { deliverLine } from '#bot/twitch/chat/deliver-line.ts';

/** Sends a line that ends so, and returns what is reported to it. */
async function reportedFor(end: LineEnd): Promise<string[]> {
  const reported: string[] = [];
  const line = {
    ...{ id: 1, channelLogin: 'demo', text: 'a win' },
    onTaken: () => reported.push('taken'),
    onUnsent: () => reported.push('unsent'),
    onRefused: () => reported.push('refused'),
  };
  await deliverLine('700', line, {
    ...{ send: async () => end, mayAnnounce: false, log: pino({ level: 'silent' }) },
    ...{ onFault() {}, onDropped() {}, onRerouted() {}, onSilence() {} },
  });
  return reported;
}

const dropped = (reason: string): LineEnd => ({ end: 'dropped', reason });

test.each([
  'msg_followersonly',
  'msg_followersonly_zero',
  'msg_subsonly',
  'msg_emoteonly',
  'msg_slowmode',
  'msg_requires_verified_phone_number',
  'msg_verified_email',
  'msg_timedout',
  'user_timed_out',
  'msg_banned',
  'msg_channel_suspended',
  'channel_settings',
])('A line comes back that was refused for a reason that passes: %s', async (reason) => {
  expect(await reportedFor(dropped(reason))).toEqual(['unsent']);
});

test.each(['refused', 'gone'] as const)(
  'A line comes back where Twitch has nobody write: %s',
  async (end) => {
    expect(await reportedFor({ end })).toEqual(['unsent']);
  },
);

test.each(['msg_rejected_mandatory', 'msg_r9k', 'no_permission', 'user_warned', 'demo_code_of_tomorrow', ''])(
  'A line is given up that was refused for its words, or for a reason that is not known: %s',
  async (reason) => {
    expect(await reportedFor(dropped(reason))).toEqual(['refused']);
  },
);

test('A line is given up that our grant does not suffice for', async () => {
  expect(await reportedFor({ end: 'failed' })).toEqual(['refused']);
});

test.each<LineEnd>([dropped('msg_rejected'), { end: 'unknown' }])(
  'Nothing is reported to a line that may come, or be in the chat: %o',
  async (end) => {
    expect(await reportedFor(end)).toEqual([]);
  },
);
