import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { closesAllRules } from '#domain/rule/closes-all-rules.ts';
import { addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { admit } from '#tests/support/guests.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const open = async (rules: number, owner: Person = streamer) => {
  const ids: string[] = [];
  for (let count = 0; count < rules; count++) ids.push(await addRule(db, owner, { rewards: 0 }));
  return ids;
};
const close = (ruleId = '', nowMs = START_MS, unconfirmed = true) =>
  closeRule(db, { ruleId, userId: streamer.userId, unconfirmed }, nowMs);
const letters = async () =>
  (await db.read.select().from(mails).where(eq(mails.template, 'accountChanged'))).map(
    ({ values }) => values.change,
  );
const unproven = { ok: false, code: 'identityUnconfirmed' };

test('One of several rules is closed without a proof and without a letter', async () => {
  const [first, second] = await open(4);
  expect(await close(first)).toMatchObject({ ok: true });
  expect(await close(second)).toMatchObject({ ok: true });
  expect(await letters()).toEqual([]);
});

test('The last rule is closed with a proof only, and its owner is mailed', async () => {
  const [first, last] = await open(2);
  await close(first);
  expect(await closesAllRules(db.read, { ruleId: last!, userId: streamer.userId }, START_MS)).toBe(true);
  expect(await close(last)).toEqual(unproven);
  expect(await letters()).toEqual([]);
  expect(await close(last, START_MS, false)).toMatchObject({ ok: true });
  expect(await letters()).toEqual(['rulesClosed']);
});

test('Closing it again needs no proof and sends no second letter', async () => {
  const [only] = await open(1);
  await close(only, START_MS, false);
  expect(await close(only)).toEqual({ ok: true, detached: 0 });
  expect(await letters()).toEqual(['rulesClosed']);
});

test('The third rule within an hour needs a proof, and is mailed once', async () => {
  const [first, second, third, fourth, fifth] = await open(6);
  await close(first);
  await close(second, START_MS + 30 * minute);
  expect(await close(third, START_MS + 59 * minute)).toEqual(unproven);
  expect(await close(third, START_MS + 59 * minute, false)).toMatchObject({ ok: true });
  expect(await close(fourth, START_MS + 59 * minute, false)).toMatchObject({ ok: true });
  expect(await letters()).toEqual(['rulesClosed']);
  expect(await close(fifth, START_MS + 2 * hour)).toMatchObject({ ok: true });
});

test('A rule on another channel counts too, and those of other streamers do not', async () => {
  const host = await addStreamer(db);
  await open(1, host);
  const [own] = await open(1);
  await admit(db, host, streamer);
  const guest = await addRule(db, streamer, { rewards: 0, channelId: host.twitchId });
  expect(await close(guest)).toMatchObject({ ok: true });
  expect(await close(own)).toEqual(unproven);
});

test('Of two last rules closed at once, one needs a proof', async () => {
  const host = await addStreamer(db);
  const [own] = await open(1);
  await admit(db, host, streamer);
  const guest = await addRule(db, streamer, { rewards: 0, channelId: host.twitchId });
  const both = await Promise.all([close(own), close(guest)]);
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
});

test("Someone else's rule stays unknown", async () => {
  const [only] = await open(1);
  const other = await addPerson(db);
  const asked = { ruleId: only!, userId: other.userId };
  expect(await closesAllRules(db.read, asked, START_MS)).toBe(false);
  expect(await closeRule(db, { ...asked, unconfirmed: true }, START_MS)).toEqual({
    ok: false,
    code: 'notFound',
  });
});
