import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  chainAnew,
  DRAWS,
  drawTwoDozen,
  fingerprintOf,
  type PublishedDraw,
  type PublishedPage,
  publishedOf,
  script,
  verifyPages,
} from '#tests/support/published-draws.ts';

let db: TestDatabase;
/** The published data while the rule was open, and after it was closed. */
let sealed: PublishedPage;
let revealed: PublishedPage;

beforeAll(async () => {
  db = await openTestDatabase();
  const { ruleId, close } = await drawTwoDozen(db);
  const published = async () => {
    const [page, ...more] = await publishedOf(db, ruleId);
    if (!page || more.length > 0) throw new Error('it is not one page');
    return page;
  };
  sealed = await published();
  await close();
  revealed = await published();
});
afterAll(() => db.close());

const verify = (proof: unknown, ...saved: string[]) => verifyPages([proof], ...saved);

/** The published proof after a change; if careful, with recomputed fingerprints. */
function tampered(change: (proof: PublishedPage) => void, { careful = false } = {}): PublishedPage {
  const proof = structuredClone(revealed);
  change(proof);
  if (careful) chainAnew([proof]);
  return proof;
}

function drawOf(proof: PublishedPage, number: number): PublishedDraw {
  const draw = proof.draws.find((each) => each.number === number);
  if (!draw) throw new Error(`there is no draw ${number}`);
  return draw;
}

test('The script verifies a closed rule’s data, in a folder without any of our files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-proof-'));
  copyFileSync(script, join(folder, 'verify-draws.mjs'));
  writeFileSync(join(folder, 'draws.json'), JSON.stringify(revealed));
  const ran = spawnSync(process.execPath, ['verify-draws.mjs', 'draws.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true, force: true });
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toContain(`VERIFIED: ${DRAWS} draws`);
  expect(ran.status).toBe(0);
});

test('The script checks saved fingerprints', async () => {
  const saved = revealed.draws.map(({ fingerprint }) => fingerprint);
  expect((await verify(revealed, ...saved)).status).toBe(0);
  // A careful operator removes the last draw: only a saved fingerprint reveals it.
  const shortened = tampered((proof) => void proof.draws.pop(), { careful: true });
  expect((await verify(shortened)).status).toBe(0);
  expect(await verify(shortened, ...saved)).toMatchObject({
    status: 1,
    said: expect.stringContaining('no draw has the fingerprint'),
  });
});

test('A fingerprint covers all earlier draws: changing one of them changes it too', async () => {
  const heavy = 1_000_000;
  const weigh = (proof: PublishedPage) => {
    const { candidates, rewardId, drawnAt } = drawOf(proof, 2);
    const drawn = candidates.find((each) => each.rewardId === rewardId);
    if (!drawn) throw new Error('what was drawn is not in the list');
    const { appId, marketHashName, weight } = drawn;
    drawn.weight = heavy;
    const moment = { at: drawnAt, lastAt: drawnAt, times: 1, cause: 'weighed' as const, added: 0 };
    return [
      { ...moment, afterDraw: 1, appId, marketHashName, weight: { before: weight, after: heavy } },
      { ...moment, afterDraw: 2, appId, marketHashName, weight: { before: heavy, after: weight } },
    ];
  };
  const unlisted = tampered((proof) => void weigh(proof), { careful: true });
  expect(await verify(unlisted)).toMatchObject({
    status: 1,
    said: expect.stringContaining('no change is listed'),
  });
  const weighed = tampered((proof) => void proof.changes.push(...weigh(proof)), { careful: true });
  // The result stays the same, and so does every check of the published data alone.
  expect(await verify(weighed)).toMatchObject({ status: 0 });
  const saved = (number: number) => drawOf(revealed, number).fingerprint;
  expect(await verify(weighed, saved(1))).toMatchObject({ status: 0 });
  for (const number of [2, 3, DRAWS])
    expect(await verify(weighed, saved(number))).toMatchObject({
      status: 1,
      said: expect.stringContaining(`no draw has the fingerprint ${saved(number)}`),
    });
});

test('The script does not call draws verified while the seed is secret', async () => {
  expect(sealed.seed).toBeNull();
  expect(await verify(sealed)).toMatchObject({ status: 1, said: expect.stringContaining('VERIFIED YET') });
});

const tamperings: [string, string, () => PublishedPage][] = [
  [
    'a weight was changed',
    'fingerprint is not that',
    () =>
      tampered((proof) => {
        for (const candidate of drawOf(proof, 2).candidates.slice(0, 1)) candidate.weight += 1;
      }),
  ],
  [
    'a weight was changed with care, so much that it changes the result',
    'done again it takes',
    () =>
      tampered(
        (proof) => {
          for (const { candidates, rewardId } of proof.draws)
            for (const each of candidates) each.weight = each.rewardId === rewardId ? 1 : 1_000_000;
        },
        { careful: true },
      ),
  ],
  [
    'the order of a list was changed with care',
    'is not in its place in the list',
    () => tampered((proof) => void drawOf(proof, 1).candidates.reverse(), { careful: true }),
  ],
  [
    'another was made the winner with care',
    'done again it takes',
    () =>
      tampered(
        (proof) => {
          const draw = drawOf(proof, 1);
          const other = draw.candidates.find(({ rewardId }) => rewardId !== draw.rewardId);
          draw.rewardId = other?.rewardId ?? '';
        },
        { careful: true },
      ),
  ],
  [
    'the winner is somebody who was not in the list',
    'was not in its list',
    () =>
      tampered(
        (proof) => {
          drawOf(proof, 3).rewardId = 'made up';
        },
        { careful: true },
      ),
  ],
  [
    'the seed is another',
    'SHA-256 is not the commitment',
    () =>
      tampered((proof) => {
        proof.seed = 'ab'.repeat(32);
      }),
  ],
  [
    'the seed is another and the commitment goes with it',
    'done again it takes',
    () =>
      tampered((proof) => {
        proof.seed = 'ab'.repeat(32);
        proof.commitment = createHash('sha256').update(proof.seed).digest('hex');
      }),
  ],
  ['a draw is missing', 'a draw is missing', () => tampered((proof) => void proof.draws.splice(4, 1))],
  [
    'a draw is missing and the others are renumbered',
    'done again it takes',
    () =>
      tampered(
        (proof) => {
          proof.draws.splice(0, 1);
          for (const [place, draw] of proof.draws.entries()) draw.number = place + 1;
        },
        { careful: true },
      ),
  ],
  [
    'draws were made for other viewers',
    'done again it takes',
    () =>
      tampered(
        (proof) => {
          for (const draw of proof.draws) draw.twitchId = `9${draw.twitchId}`;
        },
        { careful: true },
      ),
  ],
  [
    'one viewer was drawn for twice',
    'was drawn for before',
    () =>
      tampered((proof) => {
        const [first, second] = [drawOf(proof, 1), drawOf(proof, 2)];
        second.twitchId = first.twitchId;
        second.fingerprint = fingerprintOf(proof.rule.id, second);
        proof.seed = null;
      }),
  ],
  [
    'a list was changed with care in its own draw alone',
    'draw 3: the fingerprint that it goes on from is not that of the draw before it',
    () =>
      tampered((proof) => {
        const draw = drawOf(proof, 2);
        for (const each of draw.candidates) if (each.rewardId === draw.rewardId) each.weight = 1_000_000;
        draw.fingerprint = fingerprintOf(proof.rule.id, draw);
      }),
  ],
  [
    'a draw was dated back',
    'fingerprint is not that',
    () =>
      tampered((proof) => {
        drawOf(proof, 2).drawnAt = '2001-01-01T00:00:00.000Z';
      }),
  ],
  [
    'the first draw goes on from something else than the commitment',
    'draw 1: the fingerprint that it goes on from',
    () =>
      tampered((proof) => {
        const draw = drawOf(proof, 1);
        draw.previous = 'ab'.repeat(32);
        draw.fingerprint = fingerprintOf(proof.rule.id, draw);
      }),
  ],
  [
    'the last draw is missing, which the site had called the latest',
    `the site calls draw ${DRAWS} the latest`,
    () => tampered((proof) => void proof.draws.pop()),
  ],
  [
    'the latest draw was said to be another',
    'with a fingerprint that it does not have',
    () =>
      tampered((proof) => {
        proof.head = { number: 5, fingerprint: 'cd'.repeat(32) };
      }),
  ],
  ['the file is another', 'not a page of the format', () => ({ ...revealed, format: 'x' }) as never],
];

test.each(tamperings)('The script detects that %s', async (_what, words, make) => {
  const { status, said } = await verify(make());
  expect(said).toContain('NOT VERIFIED');
  expect(said).toContain(words);
  expect(status).toBe(1);
});

test('The script is standalone: it imports only Node’s own modules', () => {
  const imports = [...readFileSync(script, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
    ([, name]) => name,
  );
  expect(imports.every((name) => name?.startsWith('node:'))).toBe(true);
  expect(imports.length).toBeGreaterThan(0);
});

test('The script counts stopped claims by reason, and takes no reason that it does not know', async () => {
  const stopped = tampered((proof) => {
    drawOf(proof, 3).stopped = 'mistake';
    for (const number of [5, 8]) drawOf(proof, number).stopped = 'ruleAbused';
  });
  const ran = await verify(stopped);
  expect(ran).toMatchObject({ status: 0 });
  expect(ran.said).toContain("Claims that the rule's owner stopped: 1, for a mistake of the owner.");
  expect(ran.said).toContain('stopped: 2, for bots or several accounts of one person.');
  for (const reason of ['whim', 7, 'toString']) {
    const odd = tampered((proof) => Object.assign(drawOf(proof, 5), { stopped: reason }));
    expect(await verify(odd)).toMatchObject({ status: 1 });
  }
});
