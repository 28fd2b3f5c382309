import { beforeEach, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { setSendDelay } from '#domain/identity/send-delay.ts';
import { addBot, addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

let owner: Person;
beforeEach(async () => {
  const db = await database();
  await addBot(db);
  owner = await addStreamer(db);
});

const delay = async () =>
  setSendDelay(await database(), { userId: owner.userId, hours: 24, isConfirmed: true }, Date.now());

/** A rule of the owner with one reward that is promised and one that is free. */
async function open() {
  const [db, viewer] = [await database(), await addPerson(await database())];
  const { ruleId, rewards } = await promiseTo(db, owner, [viewer], { nowMs: Date.now() });
  return { viewer, ruleId, rewardId: rewards[0]?.id ?? '' };
}

const read = async ({ userId }: Person, path: string, language: 'en' | 'ru' = 'en') =>
  wordsOf((await (await readerOf(userId, language)).open(path)).html);

test('The form of a new rule says how long after the promise items are sent', async () => {
  expect(await read(owner, '/rules/new')).not.toContain('after the promise');
  await delay();
  expect(await read(owner, '/rules/new')).toMatch(/Items are sent \S+ \S+ after the promise at the earliest/);
  expect(await read(owner, '/rules/new', 'ru')).toContain('Предметы отправляются не раньше чем через');
});

test('The question of a claim names the time from which its item is sent', async () => {
  const soon = await open();
  expect(await read(soon.viewer, `/rewards/${soon.rewardId}/claim`)).not.toContain('sent after a delay');
  await delay();
  const later = await open();
  const path = `/rewards/${later.rewardId}/claim`;
  expect(await read(later.viewer, path)).toContain(
    'This streamer’s items are sent after a delay: this one from',
  );
  expect(await read(later.viewer, path, 'ru')).toContain('Стример отправляет предметы с задержкой');
});

test('The public pages of a channel and of a rule say that items are sent later', async () => {
  const channel = `/channels/demo_channel_${owner.twitchId}`;
  const soon = await open();
  expect(await read(owner, `${channel}/${soon.ruleId}`)).not.toContain('after the promise');
  await delay();
  const { ruleId } = await open();
  expect(await read(owner, `${channel}/${ruleId}`)).toContain('after the promise at the earliest');
  expect(await read(owner, `${channel}/${ruleId}`, 'ru')).toContain(
    'Предметы отправляются не раньше чем через',
  );
});
