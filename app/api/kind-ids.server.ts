import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import type { NamedKind } from '#domain/item/kind-name.ts';
import { listKinds } from '#domain/item/list-kinds.ts';
import type { OwnedRule } from '#domain/rule/find-rule.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';

type Kind = NamedKind & { appId: number };
/** Names the kind of an id. */
type KindOf = (kindId: string) => Required<Kind>;

/**
 * An id of none of the known kinds stands for a kind that nobody has. The domain then refuses for too few
 * items, which lets a repeated request get its first answer even after the last piece has left.
 */
function kindsAmong(known: readonly Kind[]): KindOf {
  const byId = new Map(known.map((kind) => [kindKey(kind), kind]));
  return (kindId) => {
    const {
      appId,
      marketHashName,
      traits = '',
    } = byId.get(kindId) ?? {
      appId: Number.parseInt(kindId, 10),
      marketHashName: kindId,
    };
    return { appId, marketHashName, traits };
  };
}

/** Finds kinds among a streamer's items in custody. */
export const kindsInCustody = async (db: Database, ownerId: string): Promise<KindOf> =>
  kindsAmong(await listKinds(db, { ownerId }));

/** Finds kinds among the rewards of a rule. */
export const kindsOfRule = async (db: Database, rule: OwnedRule): Promise<KindOf> =>
  kindsAmong(await listRuleRewards(db, rule));
