import { createRequestHandler, type RequestHandler, type ServerBuild } from 'react-router';

type Routes = ServerBuild['routes'];

function parentsOf(routes: Routes, id: string): string[] {
  const parent = routes[id]?.parentId;
  return parent === undefined ? [] : [parent, ...parentsOf(routes, parent)];
}

/** The first segment of the addresses that a route answers; null if it can be any. */
function firstSegmentOf(routes: Routes, id: string): string | null {
  let path = '';
  for (const each of [id, ...parentsOf(routes, id)]) path = `${routes[each]?.path ?? ''}/${path}`;
  const segment = path.split('/').find((part) => part !== '');
  return segment === undefined || /^[\w.-]+$/.test(segment) ? (segment ?? '') : null;
}

/** The routes with these ids and their parents. */
function withParents(routes: Routes, ids: readonly string[]): Routes {
  const needed = new Set(ids.flatMap((id) => [id, ...parentsOf(routes, id)]));
  return Object.fromEntries(Object.entries(routes).filter(([id]) => needed.has(id)));
}

/**
 * The router compares each address with every route in turn, twice. Here the first segment of an address selects a
 * handler that knows only the routes beginning with it, and those for any address. Other addresses, and the router's
 * own requests for its manifest, go to the handler for all routes.
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
