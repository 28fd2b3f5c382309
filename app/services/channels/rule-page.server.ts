import type { Database } from '#db/database.ts';
import { findPublicChannel } from '#domain/channel/find-public-channel.ts';
import { listChances } from '#domain/draw/list-chances.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';
import { listPublicRules } from '#domain/rule/list-public-rules.ts';
import { randomOnes, shownKinds } from './shown-kinds.server.ts';

/** The data of an open rule's public page; its channel alone if the rule is not open there; null without a channel. */
export async function readRulePage(db: Database, asked: { login: string; ruleId: string }, nowMs: number) {
  const channel = await findPublicChannel(db, asked.login);
  if (!channel) return null;
  const [[rule], kinds] = await Promise.all([
    listPublicRules(db, channel.id, { ruleId: asked.ruleId }),
    listFreeKinds(db, [channel.id]),
  ]);
  if (!rule) return { channel, rule: null };
  const chances = await listChances(db, randomOnes([rule]), nowMs);
  return { channel, rule: { ...rule, ...shownKinds(rule, kinds, chances.get(rule.id)) } };
}

type Found = NonNullable<Awaited<ReturnType<typeof readRulePage>>>;
export type PublicRulePage = Extract<Found, { rule: object }>;
