import { expect, test } from 'vitest';
import { getJson, getPage } from '#bot/steam/web-get.ts';

type Receive = (error: Error | null, response: object, body: unknown) => void;

/** A community client that gives this answer, and the requests that it got. */
function clientAnswering(error: Error | null, body: unknown = null) {
  const asked: object[] = [];
  const community = {
    httpRequestGet(options: object, receive: Receive) {
      asked.push(options);
      receive(error, { headers: { 'x-eresult': '1' } }, body);
    },
  };
  return { community: community as unknown as Parameters<typeof getJson>[0], asked };
}
const uri = 'https://api.steampowered.com/';

test('JSON is asked for in a compressed answer, as inventories are long', async () => {
  const { community, asked } = clientAnswering(null, { response: {} });
  expect(await getJson(community, uri, { l: 'english' })).toEqual({ body: { response: {} }, result: '1' });
  expect(asked).toEqual([{ uri, qs: { l: 'english' }, json: true, gzip: true }]);
});

test('Only a refusal with nothing in it tells of a private inventory', async () => {
  const refusals: [message: string, body: unknown, isPrivate: boolean][] = [
    ['HTTP error 403', null, true],
    ['HTTP error 403', 'Forbidden', false],
    ['HTTP error 500', null, false],
  ];
  for (const [message, body, isPrivate] of refusals) {
    const { community } = clientAnswering(new Error(message), body);
    await expect(getJson(community, uri, {})).rejects.toMatchObject({ message, isPrivate });
  }
});

test('A page is read, whatever it shows, unless it cannot be', async () => {
  const { community, asked } = clientAnswering(null, '<html>');
  expect(await getPage(community, uri)).toBe('<html>');
  expect(asked).toEqual([{ uri, gzip: true }]);
  await expect(getPage(clientAnswering(new Error('HTTP error 500')).community, uri)).rejects.toThrow('500');
});
