import { expect, test } from 'vitest';
import { loader } from '#app/routes/site/manifest.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();

const read = async (language: string) =>
  new Visitor().call(loader, `/manifest/${language}.webmanifest`, { params: { language } });

test.each([
  ['en', ['Reward progress', 'Item transfers', 'Browse channels']],
  ['ru', ['Прогресс наград', 'Передачи предметов', 'Обзор каналов']],
])(
  'Installed in %s, Keepsake has its shortcuts in that language, and is the same app',
  async (language, names) => {
    const { headers, text } = await read(language);
    expect(headers.get('Content-Type')).toBe('application/manifest+json');
    const manifest = JSON.parse(text);
    expect(manifest).toMatchObject({ lang: language, id: '/', display: 'standalone' });
    expect(manifest.shortcuts.map(({ name }: { name: string }) => name)).toEqual(names);
  },
);

test('There is no manifest in another language', async () => {
  expect((await read('xx')).status).toBe(404);
});
