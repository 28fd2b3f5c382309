import { and, eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { type Preferences, setPreferences } from '#domain/account/set-preferences.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour } from '#domain/kernel/time.ts';
import { type MailKind, mailKindOf, mailKinds } from '#domain/outbox/mail-kinds.ts';
import type { MailTemplate } from '#domain/outbox/queue-mail.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { prepareMail } from '#domain/view/prepare-mail.ts';
import {
  acceptOffer,
  addPerson,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();

/** The plans that a viewer can have; on an instance without plans everybody has everything. */
const plans = ['noPlansSold', 'free', 'basic', 'expert', 'pro'] as const;
type Plan = (typeof plans)[number];

/** The kinds that the free plan leaves out. */
const paidKinds: readonly MailKind[] = ['delivered'];

const settings: Record<string, Preferences> = {
  'all on': {},
  'all off': { notifyByMail: false },
  ...Object.fromEntries(mailKinds.map((kind) => [`without ${kind}`, { mutedMails: [kind] }])),
};

const isWanted = (kind: MailKind, { notifyByMail, mutedMails }: Preferences): boolean =>
  notifyByMail !== false && !mutedMails?.includes(kind);

async function addViewer(plan: Plan, preferences: Preferences): Promise<Person> {
  const person = await addPerson(db);
  await setPreferences(db, { userId: person.userId, preferences });
  if (plan === 'noPlansSold' || plan === 'free') return person;
  const facts = subscriptionFacts({ plan: { product: 'viewer', tier: plan, period: 'month' } });
  await storeFacts(db, person, [facts]);
  return person;
}

/** Returns whether a mail of this template was queued for somebody, and would be sent when it is due. */
async function isNotified({ userId }: Person, template: MailTemplate): Promise<boolean> {
  const rows = await db.read
    .select({ recipient: mails.recipient, template: mails.template, values: mails.values, at: mails.runAtMs })
    .from(mails)
    .innerJoin(users, eq(users.email, mails.recipient))
    .where(and(eq(users.id, userId), eq(mails.template, template)));
  const prepared = await Promise.all(rows.map((mail) => prepareMail(db.read, mail, mail.at, mail.at)));
  return prepared.some(({ due }) => due);
}

/** Takes the item of a promise out of custody, as a reversed deposit does. */
async function reverseDeposit(viewer: Person): Promise<void> {
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  const [deposited] = await db.read
    .select()
    .from(transferItems)
    .where(eq(transferItems.itemId, rewards[0]!.itemId));
  await reportTransfer(db, deposited!.transferId, { event: 'reversed' }, START_MS + hour);
}

async function promiseAndClaim(viewer: Person): Promise<string> {
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  const claimed = await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  if (!claimed.ok) throw new Error(claimed.code);
  const [offer] = await sendQueued(db, START_MS);
  return offer!.id;
}

/** Lets everything happen to somebody that a mail can tell, and returns the templates of those that would be sent. */
async function goThroughEverything(viewer: Person): Promise<MailTemplate[]> {
  const sent: MailTemplate[] = [];
  const look = async (...templates: MailTemplate[]) => {
    for (const template of templates) if (await isNotified(viewer, template)) sent.push(template);
  };
  await promiseTo(db, streamer, [viewer]);
  await look('rewardPromised', 'claimReminder');
  const delivered = await promiseAndClaim(viewer);
  await acceptOffer(db, delivered, await assetsIn(db, delivered), START_MS + hour);
  await reportTransfer(db, await promiseAndClaim(viewer), { event: 'expired' }, START_MS + hour);
  await reverseDeposit(viewer);
  await deposit(db, viewer, [asset()]);
  await look('rewardDelivered', 'claimFailed', 'depositReversed', 'itemsUsable');
  return sent;
}

const everyTemplate: MailTemplate[] = [
  'rewardPromised',
  'claimReminder',
  'rewardDelivered',
  'claimFailed',
  'depositReversed',
  'itemsUsable',
];

describe.each(plans)('With the plan %s', (plan) => {
  beforeEach(() => sellPlans(db, plan !== 'noPlansSold', START_MS));

  test.each(Object.keys(settings))(
    'and the setting “%s” exactly what is wanted and paid for is told',
    async (setting) => {
      await storeFacts(db, streamer, [subscriptionFacts()]);
      const preferences = settings[setting]!;
      const viewer = await addViewer(plan, preferences);
      const expected = everyTemplate.filter((template) => {
        const kind = mailKindOf(template)!;
        return isWanted(kind, preferences) && !(plan === 'free' && paidKinds.includes(kind));
      });
      expect(await goThroughEverything(viewer)).toEqual(expected);
    },
  );
});
