import { beforeEach, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { endSendingPause, recordSendingRefusal } from '#domain/bot/sending-pause.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { listTransfers } from '#domain/transfer/list-transfers.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addBot, addPerson, addStreamer, asset, type Person } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

let botId: string;
let owner: Person;
beforeEach(async () => {
  const db = await database();
  botId = await addBot(db);
  owner = await addStreamer(db);
});

const read = async ({ userId }: Person, path: string, language: 'en' | 'ru' = 'en') =>
  wordsOf((await (await readerOf(userId, language)).open(path)).html);

/** Steam refuses the bot's offers, so it sends nothing for an hour. */
async function pause(transferId: string) {
  const refusal = { botId, transferId, code: 'sendLimited', said: 'Demo refusal', operatorEmail: null };
  const times = { nowMs: Date.now(), systemMs: Date.now() };
  await recordSendingRefusal(
    await database(),
    { ...refusal, pause: { firstMs: hour, longestMs: hour } },
    times,
  );
}

const said = {
  en: /Steam takes no offers from this bot for now .*The bot tries again .*\d\d:\d\d/,
  ru: /Steam пока не принимает предложения этого бота .*Бот попробует снова .*\d\d:\d\d/,
};

async function expectPauseShown(reader: Person, transferId: string) {
  const path = `/transfers?open=${transferId}`;
  expect(await read(reader, path)).not.toMatch(said.en);
  await pause(transferId);
  expect(await read(reader, path)).toMatch(said.en);
  expect(await read(reader, path, 'ru')).toMatch(said.ru);
  await endSendingPause(await database(), botId);
  expect(await read(reader, path)).not.toMatch(said.en);
}

test('A deposit that waits for a pause of its bot says so to the streamer, and until when', async () => {
  const requestId = newId(Date.now());
  const wanted = { requestId, userId: owner.userId, assets: [asset()] };
  expect(await requestDeposit(await database(), wanted, Date.now(), Date.now())).toMatchObject({ ok: true });
  await expectPauseShown(owner, requestId);
});

test('A claim that waits for a pause of its bot says so to the viewer, and until when', async () => {
  const [db, viewer] = [await database(), await addPerson(await database())];
  const { rewards } = await promiseTo(db, owner, [viewer], { nowMs: Date.now() });
  const own = { rewardId: rewards[0]?.id ?? '', userId: viewer.userId };
  expect(await claimReward(db, own, Date.now())).toMatchObject({ ok: true });
  const { rows } = await listTransfers(db, { userId: viewer.userId });
  await expectPauseShown(viewer, rows[0]!.id);
});
