import type { ItemKind, SteamItem, WorldState } from './state.ts';
import { wearOf } from './wear.ts';

/** Finds the description shared by all items of a class and instance. */
export function kindOf(
  state: WorldState,
  item: Pick<SteamItem, 'appid' | 'classid' | 'instanceid'>,
): ItemKind {
  const kind = findKind(state, item.appid, item.classid, item.instanceid);
  if (kind === null)
    throw new Error(`The sandbox knows no item ${item.appid}/${item.classid}/${item.instanceid}.`);
  return kind;
}

export function findKind(
  state: WorldState,
  appid: number,
  classid: string,
  instanceid: string,
): ItemKind | null {
  const found = state.kinds.find(
    (kind) => kind.appid === appid && kind.classid === classid && kind.instanceid === instanceid,
  );
  return found ?? null;
}

/** Adds a kind of item, or replaces its description. */
export function describeKind(state: WorldState, kind: ItemKind) {
  const index = state.kinds.findIndex(
    (known) =>
      known.appid === kind.appid && known.classid === kind.classid && known.instanceid === kind.instanceid,
  );
  if (index >= 0) state.kinds[index] = kind;
  else state.kinds.push(kind);
}

/** Steam's own items are in context 6 (JustArchiNET/ArchiSteamFarm#646), those of other games in 2. */
export const openContextOf = (appid: number) => (appid === 753 ? '6' : '2');

/** A new piece of this kind that can be traded, or a stack of several. */
export function newItem(kind: ItemKind, assetid: string, pieces = 1): SteamItem {
  const { appid, classid, instanceid } = kind;
  const wear = wearOf(kind, assetid);
  const item = {
    appid,
    contextid: openContextOf(appid),
    assetid,
    classid,
    instanceid,
    amount: String(pieces),
    protectedUntil: 0,
  };
  return wear ? { ...item, wear } : item;
}
