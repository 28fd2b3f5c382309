import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { BotPresence } from '#app/services/bot-presence.server.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A presence that the test changes, and the number of times that it was read. */
function stage() {
  const state = { presence: 'there', reads: 0, notified: 0 };
  const presence = new BotPresence(
    async () => {
      state.reads += 1;
      return state.presence;
    },
    { pollMs: 5, spreadMs: 0 },
  );
  const open = () => stops.push(presence.listen(() => (state.notified += 1)));
  const readAgain = async () => {
    const before = state.reads;
    await expect.poll(() => state.reads).toBeGreaterThan(before + 1);
  };
  return { state, open, readAgain };
}

test('Open pages hear once that the bot went away, and once that it came back', async () => {
  const { state, open, readAgain } = stage();
  open();
  await readAgain();
  expect(state.notified).toBe(0);
  state.presence = 'away';
  await expect.poll(() => state.notified).toBe(1);
  await readAgain();
  expect(state.notified).toBe(1);
  state.presence = 'there';
  await expect.poll(() => state.notified).toBe(2);
});

test('A page that was closed hears nothing', async () => {
  const { state, open, readAgain } = stage();
  open();
  open();
  await readAgain();
  stops.pop()?.();
  state.presence = 'away';
  await expect.poll(() => state.notified).toBe(1);
  await readAgain();
  expect(state.notified).toBe(1);
});

test('A page that opens alone hears what changed since the last one was closed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { state, open } = stage();
  open();
  await vi.advanceTimersByTimeAsync(20);
  stops.pop()?.();
  await vi.advanceTimersByTimeAsync(20);
  const { reads } = state;
  await vi.advanceTimersByTimeAsync(20);
  expect(state.reads).toBe(reads);
  state.presence = 'away';
  open();
  await vi.advanceTimersByTimeAsync(20);
  expect(state.notified).toBe(1);
});
