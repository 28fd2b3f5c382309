import { desc, eq } from 'drizzle-orm';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { recordLedgerEntry } from '#domain/item/advance-item.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import type { SteamItem } from '#sandbox/steam/state.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { assetOf, rifle, type StackedKind, type SteamStage } from '#tests/support/steam-stage.ts';

/** An item in custody, both in Steam's world and in the database, deposited long ago. */
export async function holdItem(stage: SteamStage, kind: StackedKind = rifle) {
  const asset = stage.world.give(stage.bot.steamId, kind);
  const receivedAtMs = stage.clock.now() - 9 * day;
  const itemId = newId(receivedAtMs);
  await stage.db.transaction(async (tx) => {
    await tx
      .insert(bots)
      .values({ id: stage.credentials.name, firstSeenAtMs: receivedAtMs })
      .onConflictDoNothing();
    await tx.insert(items).values({
      ...assetOf(asset, kind),
      // The context at its deposit; the protection has ended since.
      contextId: kind.appid === 730 ? '16' : asset.contextid,
      id: itemId,
      ownerId: stage.streamer.userId,
      botId: stage.credentials.name,
      state: 'held',
      lockedUntilMs: receivedAtMs + 7 * day,
      depositorSteamId: stage.streamer.steamId,
      receivedAtMs,
    });
    await recordLedgerEntry(tx, {
      id: newId(receivedAtMs),
      itemId,
      fromHolder: 'outside',
      toHolder: `held:${stage.credentials.name}`,
      cause: 'deposit',
      atMs: receivedAtMs,
    });
  });
  return { itemId, asset };
}

export interface PromisedReward {
  rewardId: string;
  itemId: string;
  asset: SteamItem;
}

/** An item in custody that is promised to the viewer. */
export async function promiseReward(stage: SteamStage, kind: StackedKind = rifle): Promise<PromisedReward> {
  const { itemId, asset } = await holdItem(stage, kind);
  const nowMs = stage.clock.now();
  const ruleId = await addRule(stage.db, stage.streamer, { rewards: 0, nowMs });
  const rewardId = newId(nowMs);
  await stage.db.transaction(async (tx) => {
    await tx.insert(rewards).values({
      id: rewardId,
      ruleId,
      ownerId: stage.streamer.userId,
      channelId: stage.streamer.twitchId,
      itemId,
      state: 'promised',
      position: rewardId,
      twitchId: stage.viewer.twitchId,
      userId: stage.viewer.userId,
      promisedAtMs: nowMs,
      claimUntilMs: nowMs + 3 * day,
      createdAtMs: nowMs,
    });
  });
  return { rewardId, itemId, asset };
}

/** The viewer claims; returns the id of the transfer that will deliver it. */
export async function claim(stage: SteamStage, rewardId: string): Promise<string> {
  const claimed = await claimReward(stage.db, { rewardId, userId: stage.viewer.userId }, stage.clock.now());
  if (!claimed.ok) throw new Error(`the claim was refused: ${claimed.code}`);
  const [transfer] = await stage.db.read
    .select({ id: transfers.id })
    .from(transfers)
    .where(eq(transfers.rewardId, rewardId))
    .orderBy(desc(transfers.id))
    .limit(1);
  return transfer?.id ?? '';
}
