import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { rules } from '#db/schema/rule.ts';
import { sessions } from '#db/schema/user.ts';
import { hour } from '#domain/kernel/time.ts';
import { addBot, addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { disown } from '#tests/support/freezing.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { readerOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

// Nothing listens on this port: the bot notices the change when it next checks.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });
await addBot(await database());

/** A streamer whose rule promised a viewer something, and who disowned it. */
async function frozen() {
  const db = await database();
  const [owner, viewer] = [await addStreamer(db), await addPerson(db)];
  const { ruleId, rewards } = await promiseTo(db, owner, [viewer], { nowMs: Date.now() });
  await disown(db, owner, Date.now() - hour, Date.now());
  return { db, owner, viewer, ruleId, rewardId: rewards[0]!.id };
}
const frozenSince = async (ruleId: string) =>
  (await (await database()).read.select().from(rules).where(eq(rules.id, ruleId)))[0]!.frozenAtMs;

const words = {
  en: {
    notice: 'Your account is frozen',
    choose: 'Choose for each rule whether it goes on.',
    paused: 'The streamer has paused the rewards of this rule',
    noTime: 'you lose no time',
  },
  ru: {
    notice: 'Аккаунт заморожен',
    choose: 'Решите по каждому правилу, будет ли оно работать дальше.',
    paused: 'Стример приостановил выдачу наград по этому правилу',
    noTime: 'время вы не теряете',
  },
} as const;

test.each(['en', 'ru'] as const)(
  'In %s the streamer sees the freeze and ends it with a choice for each rule',
  async (language) => {
    const { owner, ruleId } = await frozen();
    const reader = await readerOf(owner.userId, language);
    expect((await reader.open('/dashboard')).html).toContain(words[language].notice);
    const page = await reader.open('/settings/freeze');
    expect(page.html).toContain(`name="rule:${ruleId}"`);
    const unchosen = await reader.open('/settings/freeze', {});
    expect([unchosen.status, unchosen.html.includes(words[language].choose)]).toEqual([400, true]);
    expect(await frozenSince(ruleId)).not.toBeNull();
    const ended = await reader.open('/settings/freeze', { [`rule:${ruleId}`]: 'goOn' });
    expect(ended.html).not.toContain(words[language].notice);
    expect(await frozenSince(ruleId)).toBeNull();
  },
);

test.each(['en', 'ru'] as const)(
  'In %s the viewer reads that the streamer has paused it, and that no time is lost',
  async (language) => {
    const { viewer, rewardId } = await frozen();
    const reader = await readerOf(viewer.userId, language);
    expect((await reader.open('/rewardProgress')).html).toContain(words[language].paused);
    const page = await reader.open(`/rewards/${rewardId}/claim`);
    expect(page.html).toContain(words[language].noTime);
    const refused = await reader.open(`/rewards/${rewardId}/claim`, {});
    expect([refused.status, refused.html.includes(words[language].noTime)]).toEqual([409, true]);
  },
);

test('A session whose user has not proved lately who they are is asked first, and ends nothing', async () => {
  const { db, owner, ruleId } = await frozen();
  const reader = await readerOf(owner.userId, 'en');
  const confirmedAtMs = Date.now() - hour;
  await db.transaction((tx) =>
    tx.update(sessions).set({ confirmedAtMs }).where(eq(sessions.userId, owner.userId)),
  );
  const page = await reader.open('/settings/freeze', { [`rule:${ruleId}`]: 'goOn' });
  expect(page.html).not.toContain(`name="rule:${ruleId}"`);
  expect(await frozenSince(ruleId)).not.toBeNull();
});
