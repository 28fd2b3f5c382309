import { expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { addTwitchPerson, setStage } from '#tests/bot/twitch/stage.ts';
import { draft } from '#tests/support/fixtures.ts';
import { asking } from './play.ts';
import { playRule } from './play-rule.ts';

test('A rule with a draw may not require a subscription or points, whatever else it requires', async () => {
  const stage = await setStage();
  const { userId } = await addTwitchPerson(stage, { streams: true });
  for (const conditions of [
    ['subscriber'],
    ['points'],
    ['watch', 'subscriber'],
    ['watch', 'points'],
    ['follow', 'subscriber'],
    ['follow', 'points'],
    ['subscriber', 'points'],
    ['watch', 'follow', 'subscriber', 'points'],
  ] as const) {
    const rule = draft({ ...asking(conditions), type: 'random' });
    const requestId = newId(stage.clock.now());
    expect(
      await createRule(stage.db, { requestId, userId, draft: rule }, stage.clock.now()),
      conditions.join(' and '),
    ).toEqual({ ok: false, code: 'paidDraw' });
  }
});

test('Where the operator allows it, points pay for a draw, and are kept when the prize is delivered', () =>
  playRule(['points'], { type: 'random', paidDrawsAllowed: true }));
