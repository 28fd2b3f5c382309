import type { Database } from '#db/database.ts';
import { findPublicChannel } from '#domain/channel/find-public-channel.ts';
import { listChances } from '#domain/draw/list-chances.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';
import { listPublicRules } from '#domain/rule/list-public-rules.ts';
import { getDeliveries } from '#domain/view/get-deliveries.ts';
import { randomOnes, shownKinds } from './shown-kinds.server.ts';

/** The data of a channel's public page; null if it has none. */
export async function readChannelPage(db: Database, login: string, nowMs: number) {
  const channel = await findPublicChannel(db, login);
  if (!channel) return null;
  const [rules, kinds, { record, latest }] = await Promise.all([
    listPublicRules(db, channel.id),
    listFreeKinds(db, [channel.id]),
    getDeliveries(db, channel.id),
  ]);
  const chances = await listChances(db, randomOnes(rules), nowMs);
  const shown = rules.map((rule) => ({ ...rule, ...shownKinds(rule, kinds, chances.get(rule.id)) }));
  return {
    channel,
    offers: shown.filter(({ pool }) => pool.free > 0),
    empty: shown.filter(({ pool }) => pool.free === 0),
    record,
    latest,
  };
}

export type ChannelPage = NonNullable<Awaited<ReturnType<typeof readChannelPage>>>;
