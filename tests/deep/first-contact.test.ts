// Takes about two minutes; needs nothing from the machine.
import { expect, test } from 'vitest';
import { type Dialect, type DialectPart, dialectParts, shapesOf } from '#sandbox/steam/dialects.ts';
import { beginContact, goAllTheWay } from '#tests/support/first-contact.ts';

/** True of shapes in which the only item is not shown to the bot, so that it cannot be given. */
const hidesItem = (part: DialectPart, shape: string) =>
  part === 'inventory' || (part === 'silence' && shape === 'inventory');

/** Every shape of every kind of answer, one at a time. */
const shapes = dialectParts.flatMap((part) =>
  shapesOf(part)
    .slice(1)
    .filter((shape) => !hidesItem(part, shape))
    .map((shape) => [`${part} ${shape}`, { [part]: shape }] as const),
);

test.each(shapes)('First contact goes all the way if Steam says: %s', async (_, shape) => {
  const end = await goAllTheWay(await beginContact(shape as Partial<Dialect>));
  expect(end.text).toContain('The item has gone all the way.');
});
