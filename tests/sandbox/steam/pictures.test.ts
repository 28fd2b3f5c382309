import { expect, test } from 'vitest';
import { seedSteam } from '#sandbox/steam/seed.ts';
import { kind, serveWorld } from './stage.ts';

async function picture(httpUrl: string, path: string) {
  const response = await fetch(`${httpUrl}/images/${path}`);
  return { type: response.headers.get('content-type'), svg: await response.text(), status: response.status };
}

test('Every seeded item has its own picture in its rarity’s colour', async () => {
  const { steam, world } = await serveWorld();
  seedSteam(world);
  const pictures = new Set<string>();
  for (const known of world.kinds()) {
    const { type, svg } = await picture(steam.httpUrl, known.icon_url);
    expect(type).toBe('image/svg+xml; charset=utf-8');
    const rarity = known.tags.find((tag) => tag.category === 'Rarity')?.color;
    if (rarity !== undefined) expect(svg).toContain(`#${rarity}`);
    pictures.add(svg);
  }
  expect(pictures.size).toBe(world.kinds().length);
});

test('The same icon always has the same picture, in the requested size', async () => {
  const { steam } = await serveWorld();
  const first = await picture(steam.httpUrl, 'icon-unknown/360fx300f');
  expect(await picture(steam.httpUrl, 'icon-unknown/360fx300f')).toEqual(first);
  expect(first.svg).toContain('width="360" height="300"');
  expect((await picture(steam.httpUrl, 'icon-unknown/99999x1')).svg).toContain('width="330"');
  expect((await picture(steam.httpUrl, '')).status).toBe(404);
});

test('What is applied to an item has a picture of its own for each path', async () => {
  const { steam } = await serveWorld();
  const shown = async (name: string) =>
    (await picture(steam.httpUrl, `applied/stickers/demo/${name}.png`)).svg;
  const [wing, star] = [await shown('wing'), await shown('star')];
  expect([await shown('wing'), wing !== star, wing.slice(0, 4)]).toEqual([wing, true, '<svg']);
});

test('A name cannot break out of its picture', async () => {
  const { steam, world } = await serveWorld();
  world.describe(kind('"><script>', { classid: '666', icon_url: 'icon-evil' }));
  expect((await picture(steam.httpUrl, 'icon-evil')).svg).not.toContain('<script>');
});
