import { type PickerEntries, pickerOrders } from '#app/components/rules/picker-entries.ts';
import { weightIn } from '#app/services/items/picked-kinds.server.ts';
import {
  ALL_PIECES,
  amountsOf,
  type Pick,
  readPicks,
  steppedPicks,
} from '#app/services/items/picks.server.ts';

export type EnteredPicks = PickerEntries & {
  picks: Pick[];
  /** A button was pressed that only changes the form, which JavaScript would have done in the browser. */
  redraw: boolean;
};

const narrowing = ['narrow', 'showAll'] as const;

/** Reads the picker of a form; null when its fields are none that our pages send. */
export function readPickEntries(form: FormData): EnteredPicks | null {
  const picks = readPicks(form, 0);
  if (!picks) return null;
  const changed = steppedPicks(form, picks, 0) ?? wholePicks(form, picks);
  const order = pickerOrders.find((each) => each === form.get('order')) ?? 'name';
  return {
    picks,
    amounts: amountsOf(changed ?? picks),
    weights: weightsIn(form),
    search: String(form.get('search') ?? '').slice(0, 100),
    order,
    all: form.has('all') || form.has('showAll'),
    redraw: changed !== null || narrowing.some((name) => form.has(name)),
  };
}

/** The picks after “all of this kind” or “all shown” was pressed; null when neither was. */
function wholePicks(form: FormData, picks: readonly Pick[]): Pick[] | null {
  const pressed = form.get('whole');
  if (pressed === null) return null;
  const unseen = new Set(form.getAll('unseen'));
  const keys = pressed === 'shown' ? form.getAll('item').filter((key) => !unseen.has(key)) : [pressed];
  const whole = new Map(picks.map(({ key, quantity }) => [key, quantity]));
  for (const key of keys) whole.set(String(key), ALL_PIECES);
  return [...whole].map(([key, quantity]) => ({ key, quantity }));
}

/** The weights that stand in the form, to show them again. */
const weightsIn = (form: FormData): Record<string, number> =>
  Object.fromEntries(
    form.getAll('item').flatMap((key) => {
      const weight = weightIn(form, String(key));
      return weight === undefined ? [] : [[String(key), weight]];
    }),
  );
