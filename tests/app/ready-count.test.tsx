import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PageContext, type UserSummary } from '#app/components/shell/page-context.tsx';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { loader as readyLoader } from '#app/routes/ready.ts';
import { database } from '#app/services/database.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { addBot, addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { visitorOf } from './support/signed-in.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();

const viewer: UserSummary = {
  name: 'Demo viewer',
  avatarUrl: null,
  verified: true,
  readyCount: 0,
  twitchTrouble: null,
};
const site = {
  timeZone: 'UTC',
  nowMs: null,
  imageUrl: '',
  appliedImageUrl: '',
  sites: { steam: '', twitch: '' },
};
const titled = (readyCount: number) =>
  renderToStaticMarkup(
    <TranslationContext value={translations('en')}>
      <PageContext value={{ ...site, user: { ...viewer, readyCount } }}>
        <PageTitle>Items</PageTitle>
      </PageContext>
    </TranslationContext>,
  );

test('The title of every page counts what is ready to claim, and no link to it does', () => {
  expect(titled(0)).toContain('<title>Items – Keepsake</title>');
  expect(titled(2)).toContain('<title>(2) Items – Keepsake</title>');
  expect(titled(2)).toContain('content="Items – Keepsake"');
});

test('An open page asks how many rewards are ready', async () => {
  const db = await database();
  await addBot(db);
  const { userId, ...person } = await addPerson(db);
  const visitor = await visitorOf(userId);
  const ask = async () => JSON.parse((await visitor.call(readyLoader, '/ready')).text);
  expect(await ask()).toEqual({ ready: 0 });
  await promiseTo(db, await addStreamer(db), [{ userId, ...person }]);
  expect(await ask()).toEqual({ ready: 1 });
  expect((await new Visitor().call(readyLoader, '/ready')).location).toBe('/auth/signup');
});
