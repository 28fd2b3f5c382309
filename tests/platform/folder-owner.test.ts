import { lchownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { foreignLinkOn, giveToOwnerOf } from '#platform/folder-owner.ts';

const SERVICE = 12_345;

/** Only root can give files away. */
const asRoot = test.skipIf(process.getuid?.() !== 0);

let top: string;
/** The service's own. */
let folder: string;
/** Root's own. */
let elsewhere: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'keepsake-owner-'));
  folder = join(top, 'data');
  elsewhere = join(top, 'elsewhere');
  for (const each of [folder, elsewhere]) mkdirSync(each);
  if (process.getuid?.() === 0) lchownSync(folder, SERVICE, SERVICE);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** A link in the folder; the user of the service made it. */
function link(target: string, by = SERVICE): string {
  const path = join(folder, 'link');
  symlinkSync(target, path);
  lchownSync(path, by, by);
  return path;
}
const ownerOf = (path: string) => lstatSync(path).uid;

asRoot('What root wrote into a folder is given to its owner, with all that is in it', () => {
  mkdirSync(join(folder, 'written'));
  writeFileSync(join(folder, 'written', 'file'), '');
  giveToOwnerOf(folder, join(folder, 'written'));
  expect([ownerOf(join(folder, 'written')), ownerOf(join(folder, 'written', 'file'))]).toEqual([
    SERVICE,
    SERVICE,
  ]);
});

asRoot('What lies behind a link in place of what was written is not given away', () => {
  writeFileSync(join(elsewhere, 'file'), '');
  giveToOwnerOf(folder, link(elsewhere));
  expect([ownerOf(elsewhere), ownerOf(join(elsewhere, 'file'))]).toEqual([0, 0]);
});

asRoot('In a folder of root’s own nothing is given away', () => {
  writeFileSync(join(folder, 'file'), '');
  giveToOwnerOf(elsewhere, join(folder, 'file'));
  expect(ownerOf(join(folder, 'file'))).toBe(0);
});

asRoot('Root is told of a link by which another user leads it elsewhere, also on the way to a path', () => {
  const path = link(elsewhere);
  expect(foreignLinkOn(path)).toContain(`${path} is a link of the user ${SERVICE}`);
  expect(foreignLinkOn(join(path, 'below', 'it'))).toBe(foreignLinkOn(path));
});

asRoot('A link of another user to what is not there yet would make root create it', () => {
  expect(foreignLinkOn(link(join(elsewhere, 'new')))).not.toBeNull();
});

asRoot(
  'Root’s own links are meant, and a link to what its maker owns leads no further than they could',
  () => {
    expect(foreignLinkOn(link(elsewhere, 0))).toBeNull();
    rmSync(join(folder, 'link'));
    const own = join(top, 'own');
    mkdirSync(own);
    lchownSync(own, SERVICE, SERVICE);
    expect(foreignLinkOn(link(own))).toBeNull();
    expect(foreignLinkOn(join(folder, 'not', 'there'))).toBeNull();
  },
);

test('For anybody but root the system itself decides', () => {
  symlinkSync(elsewhere, join(folder, 'link'));
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(SERVICE);
  expect(foreignLinkOn(join(folder, 'link'))).toBeNull();
  getuid.mockRestore();
});
