// The extension's main path in Firefox: signed in by a code, turned on, and its verdict on Steam's page before and after
// the offer is changed there. Takes about twenty seconds; is left out where there is no Firefox. The one thing that it
// cannot press is the browser's own question for a permission, which is answered for it by a preference.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { setCompanionStage } from '#tests/support/companion-stage.ts';
import { Firefox, type FirefoxPage, findFirefox } from '#tests/support/firefox.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { writeExtension } from '../../tools/build-extension.ts';

const executable = findFirefox();
if (!executable) console.log('no Firefox here: the extension is not tested in it');

const uuid = '0b1f3a52-6c7d-4e8f-9a0b-1c2d3e4f5a6b';
const panel = `moz-extension://${uuid}/panel.html`;

const shows = (page: FirefoxPage, selector: string, words: string) =>
  vi.waitFor(async () => expect(await page.text(selector)).toContain(words), {
    timeout: PATIENCE_MS,
    interval: 100,
  });

async function openFirefox(program: string, proxy: string): Promise<Firefox> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-companion-'));
  writeExtension(folder, 'firefox');
  const firefox = await Firefox.open(program, {
    proxy,
    preferences: {
      'extensions.webextensions.uuids': JSON.stringify({ 'companion@keepsake.example': uuid }),
      'extensions.webextOptionalPermissionPrompts': false,
      // A tab may then close itself as the popup may.
      'dom.allow_scripts_to_close_windows': true,
      'intl.locale.requested': 'en-US',
    },
  });
  onTestFinished(() => firefox.close());
  await firefox.install(join(folder, 'firefox'));
  return firefox;
}

test.skipIf(!executable)('In Firefox a reward is green, and red once it was changed in place', async () => {
  const stage = await setCompanionStage();
  onTestFinished(() => stage.stop());
  const firefox = await openFirefox(executable ?? '', stage.steamProxy);
  await firefox.setCookie(stage.cookie);

  const popup = await firefox.newPage();
  await popup.open(`${panel}#popup`);
  await shows(popup, 'main', 'Sign in');
  await popup.type('[name=instance]', stage.instance);
  await popup.type('[name=code]', await stage.code());
  await popup.press('form button');
  await shows(popup, 'main', 'Signed in to');
  // The browser's question would lie under the panel, which closes as it asks; the background ends what was begun.
  const page = await firefox.newPage();
  await popup.press('#steam');
  await vi.waitFor(() => expect(popup.text('main')).rejects.toThrow(/no such frame/), {
    timeout: PATIENCE_MS,
  });
  await vi.waitFor(
    async () => {
      await page.open(panel);
      await shows(page, 'main', 'Signed in to');
      expect(await page.text('#steam')).toBe('Turn off');
    },
    { timeout: PATIENCE_MS, interval: 200 },
  );

  await page.open(stage.offerAddress);
  await shows(page, 'keepsake-verdict', 'This is your reward');
  await page.press('.modify_trade_offer');
  await shows(page, 'keepsake-verdict', 'no longer the offer that was sent');
});
