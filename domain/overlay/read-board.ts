import { and, desc, eq, inArray } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { asOwned, type Owned } from '#domain/kernel/owned.ts';
import type { Overlay } from '#domain/overlay/overlay.ts';
import { listRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { poolsOf } from '#domain/rule/list-rules.ts';

/** A viewer on stream: their name only if they let others see it. Times in seconds; null if the rule asks for none. */
interface BoardViewer {
  name: string | null;
  watched: { haveSeconds: number; needSeconds: number } | null;
}

/** The lasting state that an overlay shows of one rule; without a rule it shows none. */
export interface Board {
  /** The rule's channel, on whose streams viewers come closer. */
  channelId: string;
  ruleName: string;
  /** Cells of the pool: given to viewers, promised or on their way, and free. */
  pool: { given: number; pending: number; free: number };
  /** Viewers who come closest to meeting the rule, the closest first. */
  next: BoardViewer[];
  /** The Twitch ids of those who are named, because a viewer may hide their name later. */
  namedIds: string[];
}

const SHOWN_VIEWERS = 3;

/**
 * Reads the state of the rule that an overlay is about: the chosen one while it is open, or else the newest open one.
 * Viewers are read only if a piece shows them, because that may look at all viewers of a channel.
 */
export async function readBoard(db: Database, overlay: Overlay, nowMs: number): Promise<Board | null> {
  const { layout } = overlay;
  if (!layout.pool && !layout.goal && !layout.next) return null;
  const rule = await findShownRule(db.read, overlay);
  if (!rule) return null;
  const {
    free = 0,
    promised = 0,
    reserved = 0,
    claimed = 0,
  } = (await poolsOf(db, [rule.id])).get(rule.id) ?? {};
  const isAboutViewers = layout.goal !== null || layout.next !== null;
  const closest = isAboutViewers ? await listClosest(db, rule, nowMs) : { next: [], namedIds: [] };
  return {
    channelId: rule.channelId,
    ruleName: rule.name,
    pool: { given: claimed, pending: promised + reserved, free },
    ...closest,
  };
}

type ShownRule = Owned<{ id: string; name: string; channelId: string }>;

async function findShownRule(q: Reader, { userId, ruleId }: Overlay): Promise<ShownRule | null> {
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

async function listClosest(
  db: Database,
  rule: ShownRule,
  nowMs: number,
): Promise<Pick<Board, 'next' | 'namedIds'>> {
  const { rows } = await listRuleViewers(db, rule, { size: SHOWN_VIEWERS }, nowMs);
  const shown = await listShownNames(
    db.read,
    rows.map(({ twitchId }) => twitchId),
  );
  const next = rows.map(({ twitchId, progress: { watch } }) => ({
    name: shown.get(twitchId) ?? null,
    watched: watch && {
      haveSeconds: Math.min(watch.haveSeconds, watch.needSeconds),
      needSeconds: watch.needSeconds,
    },
  }));
  return { next, namedIds: [...shown.keys()] };
}

/** The names of those among them who let others see it. */
export async function listShownNames(q: Reader, twitchIds: readonly string[]): Promise<Map<string, string>> {
  if (twitchIds.length === 0) return new Map();
  const rows = await q
    .select({ id: twitchAccounts.twitchId, name: twitchAccounts.displayName })
    .from(twitchAccounts)
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), eq(users.hidesName, false)))
    .where(inArray(twitchAccounts.twitchId, [...twitchIds]));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
