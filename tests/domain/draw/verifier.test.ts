import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hour } from '#domain/clock.ts';
import { exportProof, type PublishedProof } from '#domain/draw/export-proof.ts';
import { setKindWeights } from '#domain/draw/set-kind-weights.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { watchFor } from '#tests/support/watching.ts';

const script = new URL('../../../docs/verify-draws.mjs', import.meta.url).pathname;
/** So many draws of so even weights that a draw done wrongly cannot end the same each time by chance. */
const DRAWS = 24;
const pool = { 'Demo case': DRAWS, 'Demo gloves': DRAWS, 'Demo knife': DRAWS, 'demo mug': DRAWS };
const weightOf: Record<string, number> = { 'Demo case': 4, 'Demo gloves': 3, 'Demo knife': 2 };
const folder = mkdtempSync(join(tmpdir(), 'keepsake-proof-'));
let database: TestDatabase;
/** What was published while the rule was open, and once it was closed. */
let sealed: PublishedProof;
let revealed: PublishedProof;

beforeAll(async () => {
  database = await openTestDatabase();
  await addBot(database);
  const streamer = await addStreamer(database);
  const ruleId = await addRandomRule(database, streamer, pool);
  const weights = Object.entries(weightOf).map(([marketHashName, weight]) => ({
    appId: 730,
    marketHashName,
    weight,
  }));
  await setKindWeights(database, { ruleId, userId: streamer.userId, weights }, START_MS);
  const viewers = await Promise.all(Array.from({ length: DRAWS }, () => addPerson(database)));
  await watchFor(
    database,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(database, streamer.twitchId, START_MS);
  const published = async () =>
    JSON.parse(JSON.stringify(await exportProof(database, ruleId))) as PublishedProof;
  sealed = await published();
  await closeRule(database, { ruleId, userId: streamer.userId }, START_MS + hour);
  revealed = await published();
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the script as anybody would, in a folder with nothing of ours in it. */
function verify(proof: unknown, ...kept: string[]) {
  writeFileSync(join(folder, 'draws.json'), JSON.stringify(proof));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'draws.json', ...kept], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

type Draw = PublishedProof['draws'][number];

/** The published proof with something changed, and with fingerprints to match when whoever did it knows how. */
function tampered(change: (proof: PublishedProof) => void, { careful = false } = {}): PublishedProof {
  const proof = structuredClone(revealed);
  change(proof);
  if (careful) for (const draw of proof.draws) draw.fingerprint = fingerprintOf(proof.rule.id, draw);
  return proof;
}

const fingerprintOf = (ruleId: string, { number, twitchId, candidates, rewardId }: Draw) => {
  const list = candidates.map((each) => [each.appId, each.marketHashName, each.rewardId, each.weight]);
  return createHash('sha256')
    .update(JSON.stringify([ruleId, number, twitchId, list, rewardId]))
    .digest('hex');
};

function drawOf(proof: PublishedProof, number: number): Draw {
  const draw = proof.draws.find((each) => each.number === number);
  if (!draw) throw new Error(`there is no draw ${number}`);
  return draw;
}

test('The script verifies what a closed rule published', () => {
  const { status, said } = verify(revealed);
  expect(said).toContain(`VERIFIED: ${DRAWS} draws`);
  expect(status).toBe(0);
});

test('The script checks fingerprints that somebody kept', () => {
  const kept = revealed.draws.map(({ fingerprint }) => fingerprint);
  expect(verify(revealed, ...kept).status).toBe(0);
  // A careful operator drops a draw off the end: only who kept its fingerprint can tell.
  const shortened = tampered((proof) => proof.draws.pop());
  expect(verify(shortened).status).toBe(0);
  expect(verify(shortened, ...kept)).toMatchObject({
    status: 1,
    said: expect.stringContaining('no draw has the fingerprint'),
  });
});

test('The script does not call draws verified while the seed is secret', () => {
  expect(sealed.seed).toBeNull();
  expect(verify(sealed)).toMatchObject({ status: 1, said: expect.stringContaining('VERIFIED YET') });
});

const tamperings: [string, string, () => PublishedProof][] = [
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
    'a draw is missing and the others are numbered anew',
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
  ['the file is another', 'not a file of the format', () => ({ ...revealed, format: 'x' }) as never],
];

test.each(tamperings)('The script notices when %s', (_what, words, make) => {
  const { status, said } = verify(make());
  expect(said).toContain('NOT VERIFIED');
  expect(said).toContain(words);
  expect(status).toBe(1);
});

test('The script is of its own: it takes nothing but Node’s own modules', () => {
  const imports = [...readFileSync(script, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
    ([, name]) => name,
  );
  expect(imports.every((name) => name?.startsWith('node:'))).toBe(true);
  expect(imports.length).toBeGreaterThan(0);
});
