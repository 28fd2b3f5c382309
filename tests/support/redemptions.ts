import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { beginCustomReward, confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { type ReportedRedemption, recordRedemption } from '#domain/redemption/record-redemption.ts';
import { addRule, nextNumber, type Person, START_MS } from '#tests/support/fixtures.ts';

const twitchRewardOf = (ruleId: string): string => `twitch-reward-of-${ruleId}`;

/** A rule on 500 channel points, unless stated otherwise, whose custom reward exists on Twitch. */
export async function addPointsRule(
  db: Database,
  streamer: Person,
  facts: Parameters<typeof addRule>[2] = {},
): Promise<string> {
  const ruleId = await addRule(db, streamer, { watchMinutes: null, pointsCost: 500, ...facts });
  await beginCustomReward(db, { ruleId, channelId: streamer.twitchId });
  const twitchRewardId = twitchRewardOf(ruleId);
  await confirmCustomReward(db, { ruleId, twitchRewardId, state: 'enabled' }, START_MS);
  return ruleId;
}

/** Records a redemption of a rule's custom reward; returns it, so that it can be recorded again. */
export async function redeem(
  db: Database,
  ruleId: string,
  { twitchId }: Pick<Person, 'twitchId'>,
  { nowMs = START_MS, ...facts }: Partial<ReportedRedemption> & { nowMs?: number } = {},
) {
  const reported: ReportedRedemption = {
    id: `redemption-${nextNumber()}`,
    twitchRewardId: twitchRewardOf(ruleId),
    twitchId,
    redeemedAtMs: nowMs,
    status: 'UNFULFILLED',
    ...facts,
  };
  const recorded = await recordRedemption(db, reported, nowMs);
  if (!recorded.ok) throw new Error(`the redemption was refused: ${recorded.code}`);
  return { ...recorded, reported };
}

/** A rule's redemptions, by id. */
export const redemptionsOf = (db: Database, ruleId: string) =>
  db.read.select().from(redemptions).where(eq(redemptions.ruleId, ruleId)).orderBy(asc(redemptions.id));

export async function redemptionOf(db: Database, id: string) {
  const [redemption] = await db.read.select().from(redemptions).where(eq(redemptions.id, id));
  if (!redemption) throw new Error(`there is no redemption ${id}`);
  return redemption;
}
