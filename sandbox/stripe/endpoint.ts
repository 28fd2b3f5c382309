import { z } from 'zod';
import type { FormObject } from './form.ts';
import { type Paging, pageOf } from './lists.ts';
import { common, paging, readParameters } from './parameters.ts';
import type { Kind } from './stored.ts';
import type { StripeWorld } from './world.ts';

type Method = 'GET' | 'POST' | 'DELETE';

/** One call of Stripe's API. */
export interface Endpoint {
  method: Method;
  path: string;
  /** Reads the parameters and answers; expansion follows. */
  answer(world: StripeWorld, id: string, form: FormObject): { object: unknown; expand: string[] };
}

/** A call whose parameters are checked by a shape before it starts. */
export function endpoint<Shape extends z.ZodObject>(
  method: Method,
  path: string,
  shape: Shape,
  run: (world: StripeWorld, given: z.output<Shape>, id: string) => unknown,
): Endpoint {
  return {
    method,
    path,
    answer(world, id, form) {
      const given = readParameters(shape, form);
      const { expand } = given as { expand?: string[] };
      return { object: run(world, given, id), expand: expand ?? [] };
    },
  };
}

const onlyExpand = z.strictObject(common);

export function retrieve(path: string, kind: Kind): Endpoint {
  return endpoint('GET', `${path}/:id`, onlyExpand, (world, _given, id) => world.require(kind, id));
}

/** A list, one page at a time. */
export function list<Shape extends z.ZodObject>(
  path: string,
  shape: Shape,
  run: (world: StripeWorld, given: z.output<Shape>) => { id: string }[],
): Endpoint {
  return endpoint('GET', path, shape, (world, given) => pageOf(run(world, given), given as Paging, path));
}

/** A list that is part of another object. */
export function sublist(path: string, run: (world: StripeWorld, id: string) => { id: string }[]): Endpoint {
  return endpoint('GET', path, z.strictObject(paging), (world, given, id) =>
    pageOf(run(world, id), given as Paging, path.replace(':id', id)),
  );
}

export function act(
  path: string,
  run: (world: StripeWorld, id: string) => unknown,
  method: Method = 'POST',
): Endpoint {
  return endpoint(method, path, onlyExpand, (world, _given, id) => run(world, id));
}
