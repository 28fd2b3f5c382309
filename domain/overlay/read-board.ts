import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { asOwned, type Owned } from '#domain/kernel/owned.ts';
import type { Overlay } from '#domain/overlay/overlay.ts';
import { listRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { poolsOf } from '#domain/rule/list-rules.ts';

/** A viewer on stream: their name only if they let others see it. Times in seconds; null if the rule asks for none. */
interface BoardViewer {
  name: string | null;
  watched: { haveSeconds: number; needSeconds: number } | null;
}

/** The rule that an overlay is about. On the streams of its channel viewers come closer. */
export type ShownRule = Owned<{ id: string; name: string; channelId: string }>;

/** The cells of a pool: given to viewers, promised or on their way, and free. */
export interface ShownPool {
  given: number;
  pending: number;
  free: number;
}

/** The viewers who come closest to meeting a rule, the closest first. */
export interface Closest {
  next: BoardViewer[];
  /** Their Twitch ids. */
  ids: string[];
  /** The Twitch ids of those who are named, because a viewer may hide their name later. */
  namedIds: string[];
}

const SHOWN_VIEWERS = 3;

/** Finds the rule that an overlay is about: the chosen one while it is open, or else the newest open one. */
export async function findShownRule(
  q: Reader,
  { userId, ruleId }: Pick<Overlay, 'userId' | 'ruleId'>,
): Promise<ShownRule | null> {
  const open = and(eq(rules.ownerId, userId), within(rules.state, liveRuleStates), is(rules.state, 'open'));
  const find = async (id: string | null) => {
    const [found] = await q
      .select({ id: rules.id, name: rules.name, channelId: rules.channelId })
      .from(rules)
      .where(id === null ? open : and(open, eq(rules.id, id)))
      .orderBy(desc(rules.id))
      .limit(1);
    return found ? asOwned(found) : null;
  };
  return (ruleId === null ? null : await find(ruleId)) ?? find(null);
}

/** Reads the pools of rules; a rule that never had a reward has none. */
export async function readShownPools(
  db: Database,
  ruleIds: readonly string[],
): Promise<Map<string, ShownPool>> {
  const pools = await poolsOf(db, ruleIds);
  return new Map(
    [...pools].map(([id, { free, promised, reserved, claimed }]) => [
      id,
      { given: claimed, pending: promised + reserved, free },
    ]),
  );
}

/** Reads who comes closest to a rule. It may look at all viewers of a channel, so its callers take turns. */
export async function readClosest(db: Database, rule: ShownRule, nowMs: number): Promise<Closest> {
  const { rows } = await listRuleViewers(db, rule, { size: SHOWN_VIEWERS }, nowMs);
  const ids = rows.map(({ twitchId }) => twitchId);
  const shown = await listShownNames(db.read, ids);
  const next = rows.map(({ twitchId, progress: { watch } }) => ({
    name: shown.get(twitchId) ?? null,
    watched: watch && {
      haveSeconds: Math.min(watch.haveSeconds, watch.needSeconds),
      needSeconds: watch.needSeconds,
    },
  }));
  return { next, ids, namedIds: [...shown.keys()] };
}

const readNames = statement('shown_names', (q) =>
  q
    .select({ id: twitchAccounts.twitchId, name: twitchAccounts.displayName })
    .from(twitchAccounts)
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), eq(users.hidesName, false)))
    .where(isAmong(twitchAccounts.twitchId, sql.placeholder('twitchIds'))),
);

/** The names of those among them who let others see it. */
export async function listShownNames(q: Reader, twitchIds: readonly string[]): Promise<Map<string, string>> {
  if (twitchIds.length === 0) return new Map();
  const rows = await readNames(q, { twitchIds: JSON.stringify(twitchIds) });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
