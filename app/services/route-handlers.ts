import { createRequestHandler, type RequestHandler, type ServerBuild } from 'react-router';

type Routes = ServerBuild['routes'];

function parentsOf(routes: Routes, id: string): string[] {
  const parent = routes[id]?.parentId;
  return parent === undefined ? [] : [parent, ...parentsOf(routes, parent)];
}

/** The first segment of an address that a route answers to; null where it may be any. */
function firstSegmentOf(routes: Routes, id: string): string | null {
  let path = '';
  for (const each of [id, ...parentsOf(routes, id)]) path = `${routes[each]?.path ?? ''}/${path}`;
  const segment = path.split('/').find((part) => part !== '');
  return segment === undefined || /^[\w-]+$/.test(segment) ? (segment ?? '') : null;
}

/** The routes of these names and what they lie in. */
function withParents(routes: Routes, ids: readonly string[]): Routes {
  const needed = new Set(ids.flatMap((id) => [id, ...parentsOf(routes, id)]));
  return Object.fromEntries(Object.entries(routes).filter(([id]) => needed.has(id)));
}

/**
 * The router compares each address with every route in turn, twice. Here each has a handler of its own for the first
 * segment of its address, which knows only the routes that begin with it, and those for any address. What no route
 * begins with goes to the handler of all, and the router's own questions about routes do.
 */
export function routeHandlers(build: ServerBuild): RequestHandler {
  const parents = new Set(Object.values(build.routes).map((route) => route?.parentId));
  const leaves = Object.keys(build.routes)
    .filter((id) => !parents.has(id))
    .map((id) => ({ id, segment: firstSegmentOf(build.routes, id) }));
  const handlerFor = (segment: string) => {
    const own = leaves.filter((leaf) => leaf.segment === segment || leaf.segment === null);
    const routes = withParents(
      build.routes,
      own.map(({ id }) => id),
    );
    return createRequestHandler({ ...build, routes }, 'production');
  };
  const segments = new Set(leaves.flatMap(({ segment }) => segment ?? []));
  const handlers = new Map([...segments].map((segment) => [segment, handlerFor(segment)]));
  const whole = createRequestHandler(build, 'production');
  return (request, context) => {
    const [, segment = ''] = new URL(request.url).pathname.split('/');
    return (handlers.get(segment.replace(/\.data$/, '')) ?? whole)(request, context);
  };
}
