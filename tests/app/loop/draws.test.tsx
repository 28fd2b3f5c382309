import { eq } from 'drizzle-orm';
import type { ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createRoutesStub, matchRoutes } from 'react-router';
import { beforeEach, expect, test } from 'vitest';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { useChanceText } from '#app/components/text/amounts.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { loader as progressLoader } from '#app/routes/progress/progress.tsx';
import DrawProofPage, { loader as drawLoader } from '#app/routes/proof/draw-proof.tsx';
import { loader as jsonLoader } from '#app/routes/proof/proof-json.ts';
import RuleProofPage, { loader as ruleProofLoader } from '#app/routes/proof/rule-proof.tsx';
import { loader as verifierLoader } from '#app/routes/proof/verifier.ts';
import { action as addAction, loader as addLoader } from '#app/routes/rules/add-rewards.tsx';
import RulePage, { loader as ruleLoader } from '#app/routes/rules/rule.tsx';
import { action as weightsAction, loader as weightsLoader } from '#app/routes/rules/weights.tsx';
import routes from '#app/routes.ts';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { translations } from '#app/services/translations.server.ts';
import type { Database } from '#db/database.ts';
import { draws, poolChanges } from '#db/schema/draw.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { listChances } from '#domain/draw/list-chances.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addBot, addPerson, addStreamer, asset, deposit, type Person } from '#tests/support/fixtures.ts';
import { addRandomRule, drawsOf, seedOf } from '#tests/support/random-rule.ts';
import { watchFor } from '#tests/support/watching.ts';
import { visitorOf } from '../support/signed-in.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

let db: Database;
let streamer: Person;
let viewer: Person;
let ruleId: string;
const kinds = { case: 'Demo case', knife: 'Demo knife', mug: 'Demo mug' };
const keyOf = (marketHashName: string) => `weight:${kindKey({ appId: 730, marketHashName })}`;

/** A random rule with a viewer who won a draw, and a second one in progress. */
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  viewer = await addPerson(db);
  const pool = { [kinds.case]: 2, [kinds.knife]: 2, [kinds.mug]: 2 };
  ruleId = await addRandomRule(db, streamer, pool, { nowMs: Date.now() });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
  await evaluateChannel(db, streamer.twitchId, Date.now());
});

const proofOf = (number: string) =>
  new Visitor().call(drawLoader, `/proof/${ruleId}/${number}`, { params: { ruleId, number } });
const ruleProof = () => new Visitor().call(ruleProofLoader, `/proof/${ruleId}`, { params: { ruleId } });
const close = () => closeRule(db, { ruleId, userId: streamer.userId }, Date.now());

function Chance({ of }: { of: number }) {
  return useChanceText()(of).replaceAll('\u00a0', ' ');
}

/** Renders a page as for a browser without JavaScript. */
function draw(Page: ComponentType<never>, loaderData: unknown, language: 'en' | 'ru'): string {
  const Drawn = Page as ComponentType<{ loaderData: unknown }>;
  const Stub = createRoutesStub([{ path: '/', Component: () => <Drawn loaderData={loaderData} /> }]);
  const context = { user: null, theme: 'system', timeZone: 'UTC', path: '/' };
  return renderToStaticMarkup(
    <TranslationContext value={translations(language)}>
      <PageContext value={context as never}>
        <Stub />
      </PageContext>
    </TranslationContext>,
  );
}

test.each([
  ['en', 'Draw 1', 'the result is the same', 'The seed stays secret'],
  ['ru', 'Розыгрыш 1', 'результат тот же', 'Ключ хранится в секрете'],
] as const)('Anybody can read a draw’s proof, in %s and without JavaScript', async (language, ...words) => {
  const { body } = await proofOf('1');
  const page = draw(DrawProofPage, body, language);
  for (const word of words) expect(page).toContain(word);
  const [drawn] = await drawsOf(db, ruleId);
  expect(page).toContain(`${ruleId}:1:${viewer.twitchId}`);
  for (const { rewardId, marketHashName } of drawn?.candidates ?? []) {
    expect(page).toContain(rewardId);
    expect(page).toContain(marketHashName);
  }
  expect(page).toContain(body.rule.commitment);
  expect(page).toContain(`href="/proof/${ruleId}"`);
  expect(page).not.toContain(await seedOf(db, ruleId));
});

test('A rule’s page lists its draws, and shows the seed once it is closed', async () => {
  const open = draw(RuleProofPage, (await ruleProof()).body, 'en');
  expect(open).toContain(`href="/proof/${ruleId}/1"`);
  expect(open).toContain(`href="/proof/${ruleId}.json"`);
  expect(open).toContain('href="/proof/verify-draws.mjs"');
  await close();
  const seed = await seedOf(db, ruleId);
  expect(open).not.toContain(seed);
  expect(draw(RuleProofPage, (await ruleProof()).body, 'en')).toContain(seed);
});

test.each(['0', '2', '01', '-1', '1.5', 'x', '9999999999'])('Draw %s has no proof', async (number) => {
  expect((await proofOf(number)).status).toBe(404);
});

/** The published data of the rule's draws, as a visitor gets it. */
const published = (query = '', headers: Record<string, string> = {}, visitor = new Visitor()) =>
  visitor.call(jsonLoader, `/proof/${ruleId}.json${query}`, { params: { ruleId }, headers });

test('A rule’s draw data is a separate file at its own URL', async () => {
  const answer = await published();
  expect(answer.headers.get('Content-Type')).toContain('application/json');
  expect(answer.headers.get('Content-Disposition')).toContain(`draws-${ruleId}-000001.json`);
  const [drawn] = await drawsOf(db, ruleId);
  expect(JSON.parse(answer.text)).toMatchObject({
    rule: { id: ruleId },
    seed: null,
    head: { number: 1 },
    after: 0,
    draws: [{ number: 1, previous: drawn?.previousFingerprint }],
    next: null,
  });
  const matched = (path: string) => {
    const found = matchRoutes(routes as { path?: string; file: string }[] as never, path)?.at(-1);
    return [(found?.route as { file?: string } | undefined)?.file, found?.params.ruleId];
  };
  expect(matched(`/proof/${ruleId}.json`)).toEqual(['routes/proof/proof-json.ts', ruleId]);
  expect(matched(`/proof/${ruleId}`)).toEqual(['routes/proof/rule-proof.tsx', ruleId]);
  expect(matched('/proof/verify-draws.mjs')[0]).toBe('routes/proof/verifier.ts');
});

test('The draw data is paginated by a thousand draws, each page with the URL of the next', async () => {
  const [drawn] = await drawsOf(db, ruleId);
  const [reward] = await db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  if (!drawn || !reward) throw new Error('nothing was drawn');
  await db.transaction(async (tx) => {
    for (let number = 2; number <= 1002; number++) {
      const rewardId = `${reward.id}-${number}`;
      await tx
        .insert(rewards)
        .values({ ...reward, id: rewardId, twitchId: `demo-${number}`, state: 'claimed' });
      await tx.insert(draws).values({ ...drawn, number, rewardId });
    }
  });
  const first = JSON.parse((await published()).text);
  expect(first.draws).toHaveLength(1000);
  expect(first.next).toBe(`/proof/${ruleId}.json?after=1000`);
  const second = await published('?after=1000');
  expect(second.headers.get('Content-Disposition')).toContain(`draws-${ruleId}-001001.json`);
  expect(JSON.parse(second.text)).toMatchObject({
    after: 1000,
    draws: [{ number: 1001 }, { number: 1002 }],
    next: null,
  });
});

test('What changed between draws comes in pages too, each with the URL of the next, and moves the version', async () => {
  const before = (await published()).headers.get('ETag');
  await db.transaction(async (tx) => {
    const change = {
      ruleId,
      afterDraw: 1,
      atMs: 1,
      lastAtMs: 1,
      appId: 730,
      cause: 'added' as const,
      added: 1,
    };
    for (let page = 0; page < 11; page++)
      await tx.insert(poolChanges).values(
        Array.from({ length: 500 }, (_, place) => {
          const number = String(page * 500 + place).padStart(5, '0');
          return { ...change, id: `change-${number}`, kindName: `Demo ${number}` };
        }),
      );
    await tx.update(rules).set({ changeCount: 5500 }).where(eq(rules.id, ruleId));
  });
  const answer = await published();
  expect(answer.headers.get('ETag')).not.toBe(before);
  const first = JSON.parse(answer.text);
  expect(first.changes).toHaveLength(5000);
  expect(first.moreChanges).toMatch(new RegExp(`^/proof/${ruleId}\\.json\\?after=0&until=1&changes=`));
  const query = first.moreChanges.slice(first.moreChanges.indexOf('?'));
  const more = await published(query);
  expect(more.headers.get('Content-Disposition')).toContain(`changes-${ruleId}-000001.json`);
  const second = JSON.parse(more.text);
  expect(second).toMatchObject({ rule: { id: ruleId }, moreChanges: null });
  const all = [...first.changes, ...second.changes];
  expect(new Set(all.map(({ marketHashName }) => marketHashName)).size).toBe(5500);
  for (const wrong of ['?after=0&until=1&changes=x', '?after=0&until=x&changes=', '?after=2&until=3'])
    expect((await published(wrong)).status).toBe(404);
});

test.each(['2', '-1', '01', '1.5', 'x', '', '9999999999', '1e1'])(
  'A rule with one draw has no page after draw %j',
  async (after) => {
    expect((await published(`?after=${after}`)).status).toBe(404);
    expect((await published('?after=1')).status).toBe(200);
  },
);

test('The draw data is revalidated until the rule is closed and none of its claims can be stopped, then cached', async () => {
  const open = await published();
  expect(open.headers.get('Cache-Control')).toBe('public, no-cache');
  const tag = open.headers.get('ETag') ?? '';
  const again = await published('', { 'If-None-Match': `"other", ${tag}` });
  expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', tag]);
  await close();
  const closed = await published('', { 'If-None-Match': tag });
  expect([closed.status, JSON.parse(closed.text).seed]).toEqual([200, await seedOf(db, ruleId)]);
  expect(closed.headers.get('Cache-Control')).toBe('public, no-cache');
  const [mine] = await db.read.select().from(rewards).where(eq(rewards.userId, viewer.userId));
  const stopped = { rewardId: mine?.id ?? '', ownerId: streamer.userId, reason: 'mistake' } as const;
  expect(await stopClaim(db, stopped, Date.now())).toMatchObject({ ok: true });
  const over = await published('', { 'If-None-Match': closed.headers.get('ETag') ?? '' });
  expect([over.status, over.headers.get('Cache-Control')]).toEqual([
    200,
    'public, max-age=604800, immutable',
  ]);
  const signedIn = await published('', { Cookie: 'keepsake_session=x' });
  expect(signedIn.headers.get('Cache-Control')).toBe('private, max-age=604800, immutable');
});

test('Requests for the draw data are limited', async () => {
  const visitor = new Visitor();
  for (let asked = 0; asked < 120; asked++) expect((await published('', {}, visitor)).status).toBe(200);
  const refused = await published('', {}, visitor);
  expect(refused.status).toBe(429);
  expect((await published()).status).toBe(200);
});

test('The verification script is served exactly as in docs', async () => {
  const answer = await new Visitor().call(verifierLoader, '/proof/verify-draws.mjs');
  expect(answer.headers.get('Content-Disposition')).toContain('verify-draws.mjs');
  expect(answer.text).toContain('This file shares no code with Keepsake on purpose.');
});

test('A chance between 0 and 1 is never shown as certain or impossible', () => {
  const shown = (chance: number) => draw(() => <Chance of={chance} />, null, 'en');
  expect([1, 0.99996, 0.9996, 1 / 3, 0.0123, 0.00004, 0].map(shown)).toEqual([
    '100%',
    '&gt; 99.99%',
    '99.96%',
    '33.33%',
    '1.23%',
    '&lt; 0.01%',
    '0%',
  ]);
});

test('A closed rule’s page shows no chances, no viewers in progress and no waiting list', async () => {
  await watchFor(db, streamer.twitchId, [[(await addPerson(db)).twitchId, 60]]);
  const waiting = await Promise.all(Array.from({ length: 6 }, () => addPerson(db)));
  await watchFor(
    db,
    streamer.twitchId,
    waiting.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(db, streamer.twitchId, Date.now());
  const visitor = await visitorOf(streamer.userId);
  const page = async () => {
    const { body } = await visitor.call(ruleLoader, `/rules/${ruleId}`, { params: { id: ruleId } });
    return draw(RulePage, body, 'en');
  };
  const open = ['Chance now', 'Viewers in progress', 'on the waiting list', 'Mistakes can be corrected'];
  const before = await page();
  for (const words of open) expect(before).toContain(words);
  await close();
  const after = await page();
  for (const words of open) expect(after).not.toContain(words);
  expect(after).toContain('1 viewer met this rule after the rewards ran out.');
});

test('Once the seed is known, a draw’s page says that anybody can repeat it, and how many draws there were', async () => {
  expect(draw(DrawProofPage, (await proofOf('1')).body, 'en')).toContain('Once the seed is revealed');
  expect(draw(RuleProofPage, (await ruleProof()).body, 'en')).toContain('1 so far');
  await close();
  const closed = draw(DrawProofPage, (await proofOf('1')).body, 'en');
  expect(closed).not.toContain('Once the seed is revealed');
  expect(closed).toContain('The seed is revealed, so you can repeat it yourself');
  const all = draw(RuleProofPage, (await ruleProof()).body, 'en');
  expect(all).not.toContain('so far');
  expect(all).toContain('1 draw in all');
});

test('The streamer’s page shows the current chances, the commitment and each draw’s proof', async () => {
  const visitor = await visitorOf(streamer.userId);
  const { body } = await visitor.call(ruleLoader, `/rules/${ruleId}`, { params: { id: ruleId } });
  const sum = body.chances.reduce((total: number, { chance }: { chance: number }) => total + chance, 0);
  expect(sum).toBeCloseTo(1, 9);
  expect(body.chances).toHaveLength(3);
  expect(body.proof).toMatchObject({ seed: null, draws: 1 });
  expect(body.promises.rows).toMatchObject([{ drawNumber: 1 }]);
  expect(JSON.stringify(body)).not.toContain(await seedOf(db, ruleId));
});

test('A viewer sees the chances while in progress, and the draw behind a reward', async () => {
  const late = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[late.twitchId, 60]]);
  const page = async ({ userId }: Person) =>
    (await (await visitorOf(userId)).call(progressLoader, '/rewardProgress')).body.found;
  const [onTheWay] = (await page(late)).progress.rows;
  expect(onTheWay.chances.map(({ marketHashName }: { marketHashName: string }) => marketHashName)).toEqual(
    Object.values(kinds),
  );
  expect((await page(viewer)).ready).toMatchObject([{ ruleId, drawNumber: 1 }]);
});

test('The streamer sets weights in a form, and learns what is wrong with them', async () => {
  const visitor = await visitorOf(streamer.userId);
  const path = `/rules/${ruleId}/weights`;
  const save = (form: Record<string, string>) =>
    visitor.call(weightsAction, path, { form, params: { id: ruleId } });
  const weights = async () => {
    const { body } = await visitor.call(weightsLoader, path, { params: { id: ruleId } });
    return body.kinds.map(({ weight }: { weight: number }) => weight);
  };
  expect(await weights()).toEqual([1, 1, 1]);
  const saved = await save({ [keyOf(kinds.case)]: '70', [keyOf(kinds.knife)]: '1' });
  expect(saved).toMatchObject({ location: `/rules/${ruleId}`, toast: 'proof.weights.done' });
  expect(await weights()).toEqual([70, 1, 1]);
  for (const entered of ['0', '-3', '1.5', '', '1000001', 'many']) {
    const refused = await save({ [keyOf(kinds.case)]: entered, [keyOf(kinds.knife)]: '5' });
    expect(refused).toMatchObject({ status: 400, body: { error: 'errors.rule.weight' } });
  }
  expect(await weights()).toEqual([70, 1, 1]);
  await close();
  expect(await save({ [keyOf(kinds.case)]: '5' })).toMatchObject({ status: 409 });
  const other = await visitorOf((await addStreamer(db)).userId);
  const form = { [keyOf(kinds.case)]: '5' };
  expect((await other.call(weightsAction, path, { form, params: { id: ruleId } })).status).toBe(404);
});

test('The form for adding rewards asks for weights on rules with draws, and keeps them when refused', async () => {
  const nowMs = Date.now();
  await deposit(db, streamer, [asset(kinds.knife), asset('Demo glove')], nowMs - 8 * day);
  const visitor = await visitorOf(streamer.userId);
  const path = `/rules/${ruleId}/rewards/add`;
  const { body } = await visitor.call(addLoader, path, { params: { id: ruleId } });
  expect(Object.values(body.weights.of)).toEqual([1, 1, 1]);
  const glove = kindKey({ appId: 730, marketHashName: 'Demo glove' });
  const add = (weight: string) => {
    const form = {
      requestId: newId(nowMs),
      item: glove,
      [`item:${glove}`]: '1',
      [`weight:${glove}`]: weight,
    };
    return visitor.call(addAction, path, { form, params: { id: ruleId } });
  };
  expect(await add('2000000')).toMatchObject({
    status: 400,
    body: { error: 'errors.rule.weight', amounts: { [glove]: 1 }, weights: { [glove]: 2_000_000 } },
  });
  expect(await add('9')).toMatchObject({ toast: 'messages.rewardsAdded' });
  const chances = (await listChances(db, [ruleId], Date.now())).get(ruleId);
  expect(chances?.find(({ marketHashName }) => marketHashName === 'Demo glove')?.weight).toBe(9);
});
