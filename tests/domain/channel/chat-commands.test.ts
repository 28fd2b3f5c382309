import { afterEach, beforeEach, expect, test } from 'vitest';
import { getChatCommands, setChatCommands, type WrittenCommands } from '#domain/channel/set-chat-commands.ts';
import { answeredElsewhere, defaultCommands, findCommand } from '#domain/chat/chat-commands.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addStreamer, type Person } from '#tests/support/fixtures.ts';

let db: TestDatabase;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  streamer = await addStreamer(db);
});
afterEach(() => db.close());

const set = (changed: Partial<WrittenCommands>, userId = streamer.userId) =>
  setChatCommands(db, { userId, written: { ...defaultCommands, ...changed } }, 0);
const commands = (channelId = streamer.twitchId) => getChatCommands(db.read, channelId);
const called = (name: string, isOn = true) => ({ name, isOn });

test('A channel has the usual commands until its broadcaster changes them, each for the own channel only', async () => {
  const other = await addStreamer(db);
  await set({ watchTime: called('hours'), claim: called('claim', false) });
  expect(await commands()).toEqual({
    ...defaultCommands,
    watchTime: called('hours'),
    claim: called('claim', false),
  });
  expect([await commands(other.twitchId), await commands('unknown')]).toEqual([
    defaultCommands,
    defaultCommands,
  ]);
  await set({});
  expect(await commands()).toEqual(defaultCommands);
});

test('A command is found by the name it has, and one that is off by none', async () => {
  await set({ rewards: called('  !Призы '), progress: called('rewards'), claim: called('mine', false) });
  const settings = await commands();
  const found = ['призы', 'rewards', 'progress', 'mine', 'claim', 'watchtime', 'constructor'];
  expect(found.map((name) => findCommand(settings, name))).toEqual([
    'rewards',
    'progress',
    null,
    null,
    null,
    'watchTime',
    null,
  ]);
});

test.each([
  ['empty', ' ! '],
  ['of two words', 'my rewards'],
  ['too long', 'x'.repeat(26)],
  ['a command of Twitch’s', '/ban'],
  ['with invisible marks', 'ti\u034fme'],
])('A name that is %s is refused, and names its command', async (_, name) => {
  await set({ claim: called('mine') });
  expect(await set({ watchTime: called(name) })).toEqual({
    ok: false,
    code: 'nameInvalid',
    commands: ['watchTime'],
  });
  expect(await commands()).toMatchObject({ claim: called('mine') });
});

test('Two commands cannot share a name, however it is written and though one is off', async () => {
  const shared = { ok: false, code: 'nameShared', commands: ['progress', 'claim'] };
  expect(await set({ progress: called('Вы\u0438\u0306гран'), claim: called('выйгран', false) })).toEqual(
    shared,
  );
  expect(await set({ progress: called('!CLAIM') })).toEqual(shared);
  expect(await commands()).toEqual(defaultCommands);
});

test('A user without Twitch is refused', async () => {
  expect(await set({}, 'nobody')).toEqual({ ok: false, code: 'twitchNotLinked' });
});

test('A command is named that another bot answers from the start, unless it is off', () => {
  const settings = { ...defaultCommands, progress: called('points') };
  expect(answeredElsewhere(settings)).toEqual(['progress', 'watchTime']);
  expect(answeredElsewhere({ ...settings, watchTime: called('watchtime', false) })).toEqual(['progress']);
});
