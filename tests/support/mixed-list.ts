import fc from 'fast-check';
import { expect } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 3 : 8));
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_129);

/** An act that takes a list, and elements of all the kinds that it may meet. */
interface ActOnList<Element, World> {
  element: fc.Arbitrary<Element>;
  /** Lists that chance seldom draws, which are tried first. */
  telling?: readonly (readonly Element[])[];
  /** Makes what the elements need, apart from what other worlds have. */
  prepare(store: TestDatabase, elements: readonly Element[]): Promise<World>;
  /** Acts on all elements; returns the code of a refusal. */
  act(store: TestDatabase, world: World): Promise<string | null>;
  /** Returns what is stored of the element at a place, without ids. */
  look(store: TestDatabase, world: World, place: number): Promise<unknown>;
}

/**
 * Checks that an act does to each element of a mixed list what it does to that element alone. If it refuses any
 * of them alone, it must refuse the list for one of those reasons, and write nothing.
 */
export async function actsOnEachAlike<Element, World>(tried: ActOnList<Element, World>): Promise<void> {
  const { element, telling = [], prepare, act } = tried;
  const lists = fc.array(element, { minLength: 2, maxLength: 5 });
  const property = fc.asyncProperty(lists, async (elements) => {
    await using store = await openTestDatabase();
    const readAll = async (world: World, size: number) => {
      const seen: unknown[] = [];
      for (let place = 0; place < size; place++) seen.push(await tried.look(store, world, place));
      return seen;
    };
    const codes: string[] = [];
    const alone: unknown[] = [];
    for (const each of elements) {
      const world = await prepare(store, [each]);
      const code = await act(store, world);
      if (code !== null) codes.push(code);
      alone.push(...(await readAll(world, 1)));
    }
    const world = await prepare(store, elements);
    const before = await readAll(world, elements.length);
    const code = await act(store, world);
    if (codes.length === 0) expect(code).toBeNull();
    else expect(codes).toContain(code);
    expect(await readAll(world, elements.length)).toEqual(codes.length === 0 ? alone : before);
  });
  const examples = telling.map((list): [Element[]] => [[...list]]);
  await fc.assert(property, { seed, numRuns: numRuns + examples.length, examples });
}

/** The code of a refusal, or null. */
export const codeOf = (outcome: { ok: true } | { ok: false; code: string }): string | null =>
  outcome.ok ? null : outcome.code;
