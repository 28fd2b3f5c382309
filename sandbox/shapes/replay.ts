import { readFileSync } from 'node:fs';
import { z } from 'zod';

// Reports of `keepsake shapes` and `keepsake first-contact`, replayed: the sandbox answers as usual, with the reported fields changed.

const shape = z.object({
  platform: z.enum(['steam', 'twitch', 'stripe']),
  place: z.string(),
  path: z.string(),
  difference: z.enum(['missing', 'type', 'value']),
  found: z.string(),
});
const report = z.object({
  format: z.enum(['keepsake-shapes', 'keepsake-first-contact']),
  shapes: z.array(shape),
});

export type ReplayedShape = z.output<typeof shape>;

/** Reads a report, of which nothing but the differences is used. Throws if it is none. */
export const parseShapes = (text: string): ReplayedShape[] => report.parse(JSON.parse(text)).shapes;

export const readShapes = (file: string | URL): ReplayedShape[] => parseShapes(readFileSync(file, 'utf8'));

/** Values of each type; a type that is not listed is replayed as null. */
const valueOfType: Record<string, unknown> = {
  string: 'text',
  number: 1,
  boolean: true,
  list: [],
  object: {},
};

/** The value that stands for one that the report does not name. */
const UNNAMED = 'something_new';

/** The changes to a platform's answers. */
export class Replay {
  #shapes: readonly ReplayedShape[] = [];

  /** Answers in these shapes from now on, and in no other reported ones. */
  speak(shapes: readonly ReplayedShape[]): void {
    this.#shapes = shapes;
  }

  /** Number of differences that are replayed. */
  get size(): number {
    return this.#shapes.length;
  }

  /** Returns whether answers of a place are changed. */
  concerns(place: string): boolean {
    return this.#shapes.some((each) => each.place === place);
  }

  /** Changes every object of these kinds within an answer of Stripe, whose objects name their kind. */
  objects(within: unknown): unknown {
    if (this.#shapes.length === 0 || within === null || typeof within !== 'object') return within;
    if (Array.isArray(within)) return within.map((each) => this.objects(each));
    const fields = Object.entries(within).map(([key, each]) => [key, this.objects(each)]);
    const { object: kind } = within as { object?: unknown };
    const changed = Object.fromEntries(fields);
    return typeof kind === 'string' ? this.answer(kind, changed) : changed;
  }

  /** Returns an answer of a place with the changes to it; the one that was given stays as it is. */
  answer<T>(place: string, answer: T): T {
    const changes = this.#shapes.filter((each) => each.place === place);
    if (changes.length === 0) return answer;
    const changed = structuredClone(answer);
    for (const change of changes) apply(changed, stepsOf(change.path), change);
    return changed;
  }
}

/** `trades[].status` as `trades`, `[]`, `status`. */
const stepsOf = (path: string): string[] => path.split(/\.|(?=\[\])/);

function apply(within: unknown, [step, ...rest]: string[], change: ReplayedShape): void {
  if (within === null || typeof within !== 'object' || step === undefined) return;
  if (step === '[]') {
    for (const row of Array.isArray(within) ? within.keys() : []) applyAt(within, row, rest, change);
    return;
  }
  // A field that the answer leaves out is not added, as a list without rows stays without them.
  if (Object.hasOwn(within, step)) applyAt(within, step, rest, change);
}

function applyAt(within: object, key: PropertyKey, rest: string[], change: ReplayedShape): void {
  const holder = within as Record<PropertyKey, unknown>;
  if (rest.length > 0) apply(holder[key], rest, change);
  else if (change.difference === 'missing') delete holder[key];
  else
    holder[key] =
      change.difference === 'type'
        ? (valueOfType[change.found] ?? null)
        : newValue(change.found, holder[key]);
}

function newValue(found: string, usual: unknown): unknown {
  if (found === '…') return typeof usual === 'number' ? Number.MAX_SAFE_INTEGER : UNNAMED;
  if (typeof usual === 'boolean') return found === 'true';
  return typeof usual !== 'string' && /^-?\d+$/.test(found) ? Number(found) : found;
}

const replays = new WeakMap<object, Replay>();

/** The replay of one platform's world. */
export function replayOf(world: object): Replay {
  const known = replays.get(world);
  if (known) return known;
  const made = new Replay();
  replays.set(world, made);
  return made;
}
