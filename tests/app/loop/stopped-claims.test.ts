import { beforeEach, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addBot, addPerson, addStreamer, type Person, sendQueued } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

let db: Database;
let owner: Person;
let viewer: Person;
let rewardId: string;
let transferId: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  owner = await addStreamer(db);
  viewer = await addPerson(db);
  const nowMs = Date.now();
  const made = await promiseTo(db, owner, [viewer], { nowMs });
  rewardId = made.rewards[0]!.id;
  await claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
  [transferId] = (await sendQueued(db, nowMs)).map(({ id }) => id) as [string];
});

const read = async ({ userId }: Person, path: string, language: 'en' | 'ru' = 'en') =>
  wordsOf((await (await readerOf(userId, language)).open(path)).html);

test('Who got what and the transfer lead to the question, which names the reasons', async () => {
  const link = `/rules/who-got-what/${rewardId}/stop`;
  for (const path of [`/rules/who-got-what?open=${rewardId}`, `/transfers?open=${transferId}`]) {
    const { html } = await (await readerOf(owner.userId)).open(path);
    expect(html).toContain(`href="${link}"`);
  }
  const question = await read(owner, link);
  expect(question).toContain('Somebody else used the streamer’s account');
  expect(question).toContain('counts stopped claims for good');
  expect(await read(owner, link, 'ru')).toContain('Боты или несколько аккаунтов одного человека');
  const { html } = await (await readerOf(viewer.userId)).open(`/transfers?open=${transferId}`);
  expect(html).not.toContain(link);
});

test('The viewer reads that it is being stopped, then why it was, and everybody that claims were stopped', async () => {
  const asked = { rewardId, ownerId: owner.userId, reason: 'ruleAbused' } as const;
  await stopClaim(db, asked, Date.now());
  expect(await read(viewer, '/rewardProgress')).toContain('The streamer is stopping this claim.');
  expect(await read(owner, `/rules/who-got-what?open=${rewardId}`)).toContain('You have asked to stop');
  await reportTransfer(db, transferId, { event: 'cancelled' }, Date.now());
  expect(await read(viewer, '/rewardProgress')).not.toContain('is stopping this claim');
  const history = await read(viewer, '/rewardHistory?status=stopped');
  expect(history).toContain('Stopped by the streamer Bots, or several accounts of one person');
  expect(await read(viewer, '/rewardHistory', 'ru')).toContain('Остановлено стримером');
  const row = await read(owner, `/rules/who-got-what?status=stopped&open=${rewardId}`);
  expect(row).toContain('Stopped');
  const page = await read(viewer, `/channels/demo_channel_${owner.twitchId}`);
  expect(page).toContain('1 claim stopped because of bots or several accounts of one person.');
});
