import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { joinWithinLimit } from '#bot/commands/chat-line.ts';
import { chatLimits, messageQueue } from '#bot/twitch/chat/message-queue.ts';
import { steadyMs } from '#platform/steady-time.ts';

describe('The bot’s chat messages', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function queue(moderates = false, asks = false) {
    const said: { id: number; text: string; atMs: number }[] = [];
    const open = { value: true };
    /** The ids of lines that came back. */
    const returned: number[] = [];
    /** The chats about which was asked once more; the questions of a chat end with `answer`. */
    const asked: string[] = [];
    let answer = () => {};
    const made = messageQueue({
      send: ({ id, text }) => {
        if (open.value) said.push({ id, text, atMs: Date.now() });
        return open.value;
      },
      isModerator: () => moderates,
      checkAgain(channelLogin) {
        asked.push(channelLogin);
        return asks ? new Promise((resolve) => (answer = resolve)) : null;
      },
    });
    /** Each in a channel of its own. */
    const push = (count: number) => {
      for (let number = 1; number <= count; number += 1)
        made.push({ channelLogin: `demo_${number}`, text: `${number}` });
    };
    const say = (text: string) => made.push({ channelLogin: 'demo', text });
    return {
      said,
      open,
      push,
      say,
      announce: (text: string) => made.push({ channelLogin: 'demo', text, isAnnouncement: true }),
      waitMs: (channelLogin = 'demo_other') => made.waitMs(channelLogin),
      room: made.room,
      /** Without an id, the last line is meant. */
      resend: (id = said.at(-1)?.id ?? 0, how?: { isAttempt: boolean }) =>
        made.resend({ id, onUnsent: () => returned.push(id) }, how),
      returned,
      asked,
      answer: async () => {
        answer();
        await vi.advanceTimersByTimeAsync(0);
      },
      stop: made.stop,
      /** A line whose chat rests. */
      resting(text: string) {
        const back: string[] = [];
        made.push({ channelLogin: 'demo', text, isResting: () => true, onUnsent: () => back.push(text) });
        return back;
      },
      settle: made.settle,
      /** A line that may be sent for `forMs`; each time that it comes back counts. */
      dated(text: string, forMs: number) {
        const back: string[] = [];
        const untilMs = steadyMs() + forMs;
        made.push({ channelLogin: 'demo', text, untilMs, onUnsent: () => back.push(text) });
        return back;
      },
    };
  }

  /** The most messages within any of Twitch's windows. */
  const densest = (said: { atMs: number }[]) =>
    Math.max(
      ...said.map(
        ({ atMs }) =>
          said.filter((other) => other.atMs >= atMs && other.atMs < atMs + chatLimits.windowMs).length,
      ),
    );

  test('never exceed Twitch’s limit, and are sent in order', () => {
    const { said, push } = queue();
    push(25);
    expect(said).toHaveLength(20);
    vi.advanceTimersByTime(10_000);
    push(3);
    vi.advanceTimersByTime(60_000);
    expect(densest(said)).toBe(20);
    // The first messages had expired by then.
    expect(said.slice(20).map((line) => line.text)).toEqual(['1', '2', '3']);
  });

  test('tell how many more go out before the window is full', () => {
    const { push, room } = queue();
    expect(room()).toBe(20);
    push(18);
    expect(room()).toBe(2);
    push(5);
    expect(room()).toBe(0);
    vi.advanceTimersByTime(2 * chatLimits.windowMs);
    expect(room()).toBe(20);
  });

  test('may be more where the account is a moderator', () => {
    const { said, push } = queue(true);
    push(120);
    expect(said).toHaveLength(100);
  });

  test('follow one another in one channel as fast as Twitch takes them', () => {
    const { said, say } = queue();
    for (const text of ['one', 'two', 'three']) say(text);
    expect(said).toHaveLength(1);
    vi.advanceTimersByTime(5000);
    expect(said.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    const [first, second, third] = said.map(({ atMs }) => atMs);
    expect([second! - first!, third! - second!]).toEqual([chatLimits.gapMs, chatLimits.gapMs]);
  });

  test('need no pause where the account is a moderator', () => {
    const { said, say } = queue(true);
    for (const text of ['one', 'two', 'three']) say(text);
    expect(said).toHaveLength(3);
  });

  test('differ from those of the last half minute, in what nobody sees', () => {
    const { said, say } = queue(true);
    for (let time = 0; time < 3; time += 1) say('done!');
    vi.advanceTimersByTime(chatLimits.windowMs + 1);
    say('done!');
    expect(new Set(said.slice(0, 3).map(({ text }) => text)).size).toBe(3);
    expect(said.map(({ text }) => text.replace(/ ?\p{Default_Ignorable_Code_Point}/gu, ''))).toEqual(
      Array(4).fill('done!'),
    );
    expect(said.at(-1)?.text).toBe('done!');
  });

  test('are sent once more, and otherwise, when Twitch dropped them', () => {
    const { said, say, resend } = queue();
    say('done!');
    resend();
    vi.advanceTimersByTime(chatLimits.gapMs);
    resend();
    vi.advanceTimersByTime(chatLimits.windowMs);
    expect(said).toHaveLength(2);
    expect(said[1]?.text).not.toBe('done!');
    expect(resend()).toBe('givenUp');
  });

  test('are sent once more by their number where several are under way, even with the same text', () => {
    const { said, say, resend } = queue(true);
    for (const text of ['done!', 'done!', 'other']) say(text);
    expect(resend(said[0]?.id)).toBe('again');
    expect(resend(said[1]?.id)).toBe('again');
    const texts = said.map(({ text }) => text.replace(/ ?\p{Default_Ignorable_Code_Point}/gu, ''));
    expect(texts).toEqual(['done!', 'done!', 'other', 'done!', 'done!']);
    expect(new Set(said.map(({ text }) => text)).size).toBe(5);
    expect([resend(said[0]?.id), resend(said[1]?.id)]).toEqual(['givenUp', 'givenUp']);
    expect(resend(said[2]?.id)).toBe('again');
  });

  test('keep announcements apart, also where the account is a moderator, and let answers pass', () => {
    const { said, say, announce, waitMs } = queue(true);
    for (const text of ['one', 'two', 'three']) announce(text);
    expect([said.length, waitMs()]).toEqual([1, 0]);
    say('an answer');
    vi.advanceTimersByTime(6000);
    expect(said.map(({ text }) => text)).toEqual(['one', 'an answer', 'two', 'three']);
    const [first, , second, third] = said.map(({ atMs }) => atMs);
    expect([second! - first!, third! - second!]).toEqual([
      chatLimits.announcementGapMs,
      chatLimits.announcementGapMs,
    ]);
  });

  test('with a date are sent until then, however long they wait, and not once more after it', () => {
    const { said, say, dated, resend } = queue();
    for (let number = 1; number <= 20; number += 1) say(`${number}`);
    const back = [dated('late', 25_000), dated('in time', 45_000)];
    vi.advanceTimersByTime(31_000);
    expect(said.map(({ text }) => text).slice(20)).toEqual(['in time']);
    vi.advanceTimersByTime(14_000);
    expect(resend()).toBe('again');
    vi.advanceTimersByTime(60_000);
    expect([said.length, back]).toEqual([21, [[], []]]);
  });

  test('come back if they are not handed over, or dropped twice', () => {
    const { open, dated, resend, returned } = queue(true);
    open.value = false;
    expect(dated('held', 60_000)).toEqual(['held']);
    open.value = true;
    dated('dropped', 60_000);
    resend();
    expect(returned).toEqual([]);
    resend();
    expect(returned).toHaveLength(1);
  });

  test('come back if they are dropped after they are forgotten', () => {
    const { said, say, resend, returned } = queue();
    say('answered late');
    vi.advanceTimersByTime(chatLimits.windowMs + 1);
    say('another');
    expect([resend(said[0]?.id), returned]).toEqual(['unknown', [said[0]?.id]]);
  });

  test('that went nowhere may be dropped once more', () => {
    const { say, resend } = queue(true);
    say('done!');
    expect(resend(undefined, { isAttempt: false })).toBe('again');
    expect([resend(), resend()]).toEqual(['again', 'givenUp']);
  });

  test('come back when the bot stops, those that wait and those that come or are dropped later', () => {
    const { said, say, dated, resend, returned, stop } = queue();
    say('under way');
    const waiting = dated('waiting', 60_000);
    stop();
    const late = dated('late', 60_000);
    expect([waiting, late]).toEqual([['waiting'], ['late']]);
    expect([resend(said[0]?.id), returned]).toEqual(['unknown', [said[0]?.id]]);
    vi.advanceTimersByTime(60_000);
    expect(said.map(({ text }) => text)).toEqual(['under way']);
  });

  test('that waited for their turn are sent once it is known again how things stand in their chat', async () => {
    const { said, say, push, asked, answer } = queue(false, true);
    for (const text of ['one', 'two', 'three']) say(text);
    // The first one waited for nothing.
    expect([said.length, asked]).toEqual([1, []]);
    vi.advanceTimersByTime(10_000);
    expect([said.length, asked]).toEqual([1, ['demo']]);
    push(1);
    expect(said.map(({ text }) => text)).toEqual(['one', '1']);
    await answer();
    await vi.advanceTimersByTimeAsync(chatLimits.gapMs);
    expect(said.map(({ text }) => text)).toEqual(['one', '1', 'two']);
    expect(asked).toEqual(['demo', 'demo']);
    await answer();
    expect(said.at(-1)?.text).toBe('three');
  });

  test('whose chat is being asked about hold up nothing in other chats', async () => {
    const { say, waitMs, answer } = queue(false, true);
    for (const text of ['one', 'two']) say(text);
    vi.advanceTimersByTime(10_000);
    expect(waitMs()).toBe(0);
    expect(waitMs('demo')).toBeGreaterThan(0);
    await answer();
    expect(waitMs()).toBe(0);
  });

  test('whose chat is known to take none come back untried, and do not count', () => {
    const { said, room, resting } = queue();
    const back = resting('held');
    expect([back, said, room()]).toEqual([['held'], [], chatLimits.everyone]);
  });

  test('whose chat stays unknown for too long are not sent', async () => {
    const { said, say, answer } = queue(false, true);
    for (const text of ['one', 'two']) say(text);
    vi.advanceTimersByTime(31_000);
    await answer();
    expect(said.map(({ text }) => text)).toEqual(['one']);
  });

  test('come back when the bot stops while it is asked about their chat', async () => {
    const { said, say, dated, answer, stop } = queue(false, true);
    say('under way');
    const waiting = dated('waiting', 60_000);
    vi.advanceTimersByTime(10_000);
    stop();
    await answer();
    expect([waiting, said.length]).toEqual([['waiting'], 1]);
  });

  test('that can come back do not wait any more once that ends, and others do', () => {
    const { said, say, dated, settle, room } = queue();
    say('first');
    const before = dated('announced', 60_000);
    say('answer');
    settle();
    const later = dated('announced later', 60_000);
    expect([before, later, room()]).toEqual([['announced'], ['announced later'], 0]);
    vi.advanceTimersByTime(chatLimits.gapMs);
    expect(said.map(({ text }) => text)).toEqual(['first', 'answer']);
  });

  test('that can come back are still sent where they need not wait', () => {
    const { said, dated, settle } = queue();
    settle();
    expect([dated('announced', 60_000), said.map(({ text }) => text)]).toEqual([[], ['announced']]);
  });

  test('are dropped without a connection, and do not count', () => {
    const { said, open, push } = queue();
    open.value = false;
    push(20);
    open.value = true;
    push(20);
    expect(said).toHaveLength(20);
  });
});

describe('A command', () => {
  test('is answered in one line, with as many parts as fit', () => {
    const more = (count: number) => `and ${count} more`;
    expect(joinWithinLimit(['one', 'two'], 450, more)).toBe('one · two');
    expect(joinWithinLimit(['first part', 'second part', 'a rather long third part'], 40, more)).toBe(
      'first part · second part · and 1 more',
    );
    expect(joinWithinLimit(['x'.repeat(900)], 450, more)).toHaveLength(450);
  });
});
