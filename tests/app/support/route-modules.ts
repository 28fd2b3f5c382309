import type { ComponentType } from 'react';
import type { MiddlewareFunction } from 'react-router';
import routes from '#app/routes.ts';

type Entry = {
  file: string;
  path?: string | undefined;
  index?: boolean | undefined;
  children?: Entry[] | undefined;
};
type Handler = (args: never) => unknown;

/** A route: its full path, its module, and the guards of its layouts. */
export interface RouteModule {
  path: string;
  loader?: Handler;
  action?: Handler;
  page?: ComponentType<never>;
  guards: MiddlewareFunction<Response>[];
}

type Module = {
  loader?: Handler;
  action?: Handler;
  default?: ComponentType<never>;
  middleware?: MiddlewareFunction<Response>[];
};

async function collect(
  entries: readonly Entry[],
  above: string,
  guards: MiddlewareFunction<Response>[],
): Promise<RouteModule[]> {
  const found: RouteModule[] = [];
  for (const { file, path, index, children } of entries) {
    const here = path === undefined ? above : `${above}/${path}`;
    const module = (await import(/* @vite-ignore */ `../../../app/${file}`)) as Module;
    const { loader, action, default: page } = module;
    const parts = { ...(loader && { loader }), ...(action && { action }), ...(page && { page }) };
    if (index || path !== undefined) found.push({ path: here || '/', ...parts, guards });
    found.push(...(await collect(children ?? [], here, [...guards, ...(module.middleware ?? [])])));
  }
  return found;
}

/** Every route, so that tests over all of them cover new ones. */
export const routeModules = async (): Promise<RouteModule[]> => collect((await routes) as Entry[], '', []);
