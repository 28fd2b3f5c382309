import { expect, test } from 'vitest';
import { pagePaths, routeOf, tourOf, type Walker, walkerOf, walkerPaths } from '#tests/e2e/walked-pages.ts';

const everyWalker: readonly Walker[] = [
  'signedOut',
  'viewer',
  'streamer',
  'both',
  'unverified',
  'unconfirmed',
  'halfway',
  'guarded',
  'operator',
  'halted',
];

test('Somebody opens every page in the walk', () => {
  expect(pagePaths.length).toBeGreaterThan(60);
  expect(pagePaths.filter((path) => walkerOf(path) === undefined)).toEqual([]);
});

test('A page that no walker knows is found missing', () => {
  expect(walkerOf('/a-new-page')).toBeUndefined();
});

test('Every entry of the walkers has a page', () => {
  const hasPage = (start: string) => pagePaths.some((path) => `${path}/`.startsWith(`${start}/`));
  expect(walkerPaths.filter((start) => start !== '/' && !hasPage(start))).toEqual([]);
});

test('Each page is on one tour, by its address or by a link', () => {
  const toured = everyWalker.flatMap((walker) => {
    const { addresses, byLink } = tourOf(walker);
    const own = addresses
      .map((address) => routeOf(address) ?? '')
      .filter((path) => walkerOf(path) === walker);
    return [...new Set([...own, ...byLink])];
  });
  expect(toured.sort()).toEqual([...pagePaths].sort());
});

test('An address with an id belongs to the page with its place, unless a page has that very address', () => {
  expect(routeOf('/rules/new')).toBe('/rules/new');
  expect(routeOf('/rules/0198f0a0-0000-7000-8000-000000000000?x=1')).toBe('/rules/:id');
  expect(routeOf('/nothing/is/here')).toBe('/*');
});
