import { openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { newId } from '#domain/kernel/id.ts';
import { getOverlaySecrets } from '#domain/overlay/overlay.ts';
import { openOverlay, replaceSecret, stopOverlay, testOverlay } from '#domain/overlay/set-overlay.ts';
import { createVault } from '#platform/vault.ts';
import { webEnvironment } from '#tests/app/support/web-environment.ts';
import { startWeb, stopWeb, type Web } from '#tests/app/support/web-process.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer } from '#tests/support/fixtures.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { watchFor } from '#tests/support/watching.ts';

/** A streamer with an overlay, and a web process over their store that starts again at the same address. */
export async function startOverlayWorld() {
  const { file, folder } = await makeSqliteFile('disk');
  const port = await findFreePorts(1);
  const environment = webEnvironment({
    KEEPSAKE_DATA_DIR: folder,
    LOG_LEVEL: 'info',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  sealColumnsWith(createVault(Buffer.from(environment.ENCRYPTION_KEY ?? '', 'hex').toString('base64')));
  const db = await openSqlite(file);
  await addBot(db);
  const { userId, twitchId } = await addStreamer(db);
  await addRule(
    db,
    { userId, twitchId, steamId: '' },
    { name: 'Ten hours together', rewards: 8, watchMinutes: 600 },
  );
  const near = await addPerson(db);
  const nearName = `Demo_Person_${Number(near.twitchId) - 50_000}`;
  await watchFor(db, twitchId, [[near.twitchId, 7 * 3600]]);
  await openOverlay(db, { userId, locale: 'en' }, Date.now());
  const other = await addStreamer(db);
  await openOverlay(db, { userId: other.userId, locale: 'ru' }, Date.now());
  let web: Web = await startWeb(environment);
  const secretsOf = async (whose: string) =>
    (await getOverlaySecrets(db.read, whose)) ?? { overlay: '', dock: '' };
  const secrets = () => secretsOf(userId);
  const send = async (whose: string) => {
    const request = { userId: whose, requestId: newId(Date.now()), mayBeLive: false, wantsItLive: false };
    await testOverlay(db, request, Date.now());
  };
  return {
    db,
    folder,
    userId,
    twitchId,
    url: `http://127.0.0.1:${port}`,
    secrets,
    /** The secrets of another streamer's overlay, whose sources are in the same OBS. */
    otherSecrets: () => secretsOf(other.userId),
    /** Sends a made-up event. */
    send: () => send(userId),
    sendToOther: () => send(other.userId),
    /** Stops the overlay as the dock does, or lets it go on. */
    async stopOverlay(stops: boolean): Promise<void> {
      await stopOverlay(db, { userId, stops }, Date.now());
    },
    /** The name of the viewer who is closest, and an end of its being shown. */
    nearName,
    async hideNear(): Promise<void> {
      await setPreferences(db, { userId: near.userId, preferences: { hidesName: true } });
    },
    async replaceOverlay(): Promise<void> {
      const replaces = hashOf((await secrets()).overlay);
      await replaceSecret(db, { userId, door: 'overlay', replaces }, Date.now());
    },
    async restart(): Promise<void> {
      await stopWeb(web);
      web = await startWeb(environment);
    },
    async stop(): Promise<void> {
      await stopWeb(web);
      await db.close();
    },
  };
}
