import { kindOf } from './catalogue.ts';
import type { SteamItem, SteamPerson, WorldState } from './state.ts';

/** The tag of gems and sacks of gems, whose single pieces Steam stacks. */
const stackedClass = 'item_class_7';

export const piecesOf = ({ amount }: Pick<SteamItem, 'amount'>) => Number(amount);

const isStacked = (state: WorldState, item: SteamItem) =>
  piecesOf(item) > 1 || kindOf(state, item).tags.some((tag) => tag.internal_name === stackedClass);

type Named = Pick<SteamItem, 'appid' | 'assetid'>;
const isSameAsset = (one: Named, other: Named) => one.assetid === other.assetid && one.appid === other.appid;

/** Returns whether a person has an asset with at least as many pieces. */
export const hasPieces = (person: SteamPerson, item: SteamItem) =>
  person.items.some((own) => isSameAsset(own, item) && piecesOf(own) >= piecesOf(item));

/** Takes pieces from a person's asset. What is left of a stack stays under its id. */
export function takePieces(person: SteamPerson, item: SteamItem) {
  person.items = person.items.flatMap((own) => {
    if (!isSameAsset(own, item)) return [own];
    const left = piecesOf(own) - piecesOf(item);
    return left > 0 ? [{ ...own, amount: String(left) }] : [];
  });
}

/** Finds a stack at which a person's new asset joins, if stacks merge. */
function stackFor(state: WorldState, person: SteamPerson, item: SteamItem) {
  if (state.dialect.stacks === 'apart' || !isStacked(state, item)) return undefined;
  return person.items.find(
    (own) => own.appid === item.appid && own.contextid === item.contextid && own.classid === item.classid,
  );
}

/** Puts an asset into a person's inventory. Merged into a stack, its own id exists nowhere. */
export function putPieces(state: WorldState, person: SteamPerson, item: SteamItem) {
  const stack = stackFor(state, person, item);
  if (stack === undefined) {
    person.items.push(item);
    return;
  }
  stack.amount = String(piecesOf(stack) + piecesOf(item));
  stack.protectedUntil = Math.max(stack.protectedUntil, item.protectedUntil);
}

/** Finds the asset in which the pieces of a trade are now: the one that arrived, or the stack that it joined. */
export function findArrived(
  state: WorldState,
  person: SteamPerson,
  {
    item,
    newAssetid,
    newContextid,
  }: { item: SteamItem; newAssetid: string | null; newContextid: string | null },
): SteamItem | undefined {
  const arrived = { ...item, assetid: newAssetid ?? '', contextid: newContextid ?? item.contextid };
  const own = person.items.find((each) => isSameAsset(each, arrived)) ?? stackFor(state, person, arrived);
  return own && piecesOf(own) >= piecesOf(item) ? own : undefined;
}
