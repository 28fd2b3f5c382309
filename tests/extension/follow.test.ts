import { expect, test } from 'vitest';
import { Follower } from '#extension/steam/follow.ts';

/** A follower whose questions and clocks the test answers and moves. */
function stage() {
  const clock = { wall: 1_000_000, steady: 0 };
  const reported: (string | null)[] = [];
  const questions: ((answer: string) => void)[] = [];
  const follower = new Follower<string>({
    ask: () => new Promise((answer) => questions.push(answer)),
    report: (answer) => reported.push(answer),
    now: () => [clock.wall, clock.steady],
  });
  const pass = (seconds: number, clocks: (keyof typeof clock)[] = ['wall', 'steady']) => {
    for (const each of clocks) clock[each] += seconds * 1000;
  };
  const answer = async (place: number, text: string) => {
    questions[place]?.(text);
    await Promise.resolve();
    await Promise.resolve();
  };
  follower.look(false);
  return { follower, reported, questions, pass, answer };
}

test('An older question’s answer never replaces a newer one’s', async () => {
  const { follower, reported, answer } = stage();
  void follower.ask();
  await answer(1, 'revoked');
  await answer(0, 'reward');
  expect(reported).toEqual(['revoked']);
});

test.each([['wall'], ['steady']] as const)('An answer expires by the %s clock alone', async (clock) => {
  const { follower, reported, questions, pass, answer } = stage();
  await answer(0, 'reward');
  pass(59, [clock]);
  follower.look(false);
  expect(questions).toHaveLength(1);
  pass(1, [clock]);
  follower.look(false);
  expect([questions.length, reported]).toEqual([2, ['reward']]);
  pass(15, [clock]);
  follower.look(false);
  expect([questions.length, reported]).toEqual([2, ['reward', null]]);
  pass(60, [clock]);
  await answer(1, 'late');
  expect(reported).toEqual(['reward', null, null]);
});

test('A hidden page asks nothing, and takes an old answer away before it asks again', async () => {
  const { follower, reported, questions, pass, answer } = stage();
  await answer(0, 'reward');
  pass(60);
  follower.look(true);
  expect([questions.length, reported]).toEqual([1, ['reward']]);
  follower.look(false, true);
  expect([questions.length, reported]).toEqual([2, ['reward', null]]);
  await answer(1, 'reward again');
  expect(reported).toEqual(['reward', null, 'reward again']);
});
