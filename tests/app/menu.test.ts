import { matchPath } from 'react-router';
import { expect, test } from 'vitest';
import { accountMenu, entrance, footLinks, menu, signOutPath, siteLinks } from '#app/menu.ts';
import routes from '#app/routes.ts';

type Entry = { path?: string | undefined; index?: boolean | undefined; children?: Entry[] | undefined };

function pathsOf(entries: Entry[], above = ''): string[] {
  return entries.flatMap(({ path, index, children }) => {
    const here = path === undefined ? above : `${above}/${path}`.replaceAll('//', '/');
    const own = index || path !== undefined ? [here || '/'] : [];
    return [...own, ...pathsOf(children ?? [], here)];
  });
}

test('every link of the menus leads to a page', async () => {
  const paths = pathsOf((await routes) as Entry[]).filter((path) => !path.endsWith('*'));
  const links = [
    ...menu.flatMap(({ entries }) => entries),
    ...accountMenu,
    ...siteLinks,
    ...footLinks,
    ...[entrance.signin, entrance.signup].filter((link) => link !== null),
    ...(signOutPath === null ? [] : [{ to: signOutPath }]),
  ].map(({ to }) => to.split('#')[0] ?? '');
  for (const link of links) {
    expect(
      paths.some((path) => matchPath(path, link)),
      `${link} leads nowhere`,
    ).toBe(true);
  }
});
