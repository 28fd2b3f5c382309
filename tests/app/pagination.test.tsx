import { renderToStaticMarkup } from 'react-dom/server';
import { createRoutesStub } from 'react-router';
import { expect, test } from 'vitest';
import { Pagination } from '#app/components/lists/list-states.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { translations } from '#app/services/translations.server.ts';

/** The links of a list's pages, by their words, at an address. */
function linksAt(query: string, next: string | null): Record<string, string> {
  const Stub = createRoutesStub([{ path: '/rules', Component: () => <Pagination next={next} /> }]);
  const html = renderToStaticMarkup(
    <TranslationContext value={translations('en')}>
      <Stub initialEntries={[`/rules${query}`]} />
    </TranslationContext>,
  );
  const links = [...html.matchAll(/<a[^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g)];
  return Object.fromEntries(
    links.map(([, to = '', words = '']) => [words.replaceAll(/<[^>]*>/g, ''), to.replaceAll('&amp;', '&')]),
  );
}

test('From page to page, forward and back again, the filters stay', () => {
  const first = linksAt('?q=demo', 'b');
  expect(first).toEqual({ 'Next page': '?q=demo&after=b' });
  const second = linksAt(first['Next page']!, 'c');
  expect(second).toEqual({ 'First page': '?q=demo', 'Next page': '?q=demo&after=c&after-trail=b' });
  const third = linksAt(second['Next page']!, null);
  expect(third).toEqual({ 'Previous page': '?q=demo&after=b' });
});

test('A list on one page has no links', () => {
  expect(linksAt('', null)).toEqual({});
});

test('The address remembers ten pages, and leads to the first beyond them', () => {
  let query = '';
  for (let page = 1; page <= 14; page++) query = linksAt(query, `page${page}`)['Next page']!;
  const steps: string[] = [];
  for (let links = linksAt(query, null); Object.keys(links).length > 0; links = linksAt(query, null)) {
    const [words, to] = Object.entries(links)[0]!;
    steps.push(words);
    query = to;
  }
  expect(steps).toEqual([...Array.from({ length: 10 }, () => 'Previous page'), 'First page']);
});
