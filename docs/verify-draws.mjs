#!/usr/bin/env node
// Checks the draws of one Keepsake rule, without trusting Keepsake.
//
//   node verify-draws.mjs draws.json [fingerprint …]
//
// draws.json is what the rule's proof page offers for download ("What is published of these draws"). Nothing else is
// read, nothing is sent anywhere, and nothing but Node.js (18 or newer) is needed. With fingerprints after it, which you
// kept from the days of the draws, each of them has to be among the draws of the file.
//
// It ends with 0 when every check passed, and with 1 when one failed or the seed is not known yet.
//
// What it checks
//   1. The seed is the one that was promised: its SHA-256 is the commitment, which stood on the page before the first draw.
//   2. The draws are numbered 1, 2, 3 … without a hole.
//   3. Nobody was drawn for twice, and no reward was drawn twice or offered again after it was drawn.
//   4. The list of each draw is in its one right order: by app id, then by the bytes of the market hash name, each kind
//      once, each with a whole weight from 1 to 1,000,000.
//   5. Each draw done again takes the reward that it is said to have taken:
//        h     = HMAC-SHA256(key: the seed's text, message: "<rule id>:<draw number>:<viewer's Twitch id>")
//        place = floor(h × W ÷ 2^256)      h as a big-endian number, W the sum of all weights of the list
//        The list is walked from its beginning; the first candidate whose weights, added up so far, exceed the place is drawn.
//   6. The fingerprint of each draw is that of what the file says: SHA-256 of the JSON text, without spaces, of
//        [rule id, number, Twitch id, [[app id, market hash name, reward id, weight], …], drawn reward id]
//
// What it cannot see: the list of a draw is recorded by the site, so weights could be changed afterwards in a way that
// leaves the result. That is what fingerprints are for: keep the one of your draw. Draws cut off the end are seen the same way.
//
// This file shares no code with Keepsake on purpose.

import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { argv, exit } from 'node:process';

const FORMAT = 'keepsake-draws/1';

const sha256 = (text) => createHash('sha256').update(text, 'utf8').digest('hex');
const isText = (value) => typeof value === 'string' && value !== '';
const isWhole = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;

/** Below zero, zero or above, as the first of two candidates belongs before, with or after the second. */
function compareKinds(one, other) {
  if (one.appId !== other.appId) return one.appId - other.appId;
  return Buffer.compare(Buffer.from(one.marketHashName, 'utf8'), Buffer.from(other.marketHashName, 'utf8'));
}

/** Everything that is wrong with the list of one draw. */
function faultsOfList(candidates) {
  if (!Array.isArray(candidates) || candidates.length === 0) return ['its list is empty'];
  const faults = [];
  for (const [place, candidate] of candidates.entries()) {
    const { rewardId, appId, marketHashName, weight } = candidate ?? {};
    if (!isText(rewardId) || !isText(marketHashName) || !isWhole(appId, 0, Number.MAX_SAFE_INTEGER))
      return [`candidate ${place + 1} of its list is not complete`];
    if (!isWhole(weight, 1, 1_000_000)) faults.push(`"${marketHashName}" weighs ${weight}`);
    if (place > 0 && compareKinds(candidates[place - 1], candidate) >= 0)
      faults.push(`"${marketHashName}" is not in its place in the list`);
  }
  return faults;
}

/** The draw done again. */
function drawAgain(seed, ruleId, { number, twitchId, candidates }) {
  const digest = createHmac('sha256', seed).update(`${ruleId}:${number}:${twitchId}`, 'utf8').digest('hex');
  let total = 0n;
  for (const { weight } of candidates) total += BigInt(weight);
  const place = (BigInt(`0x${digest}`) * total) >> 256n;
  let reached = 0n;
  for (const candidate of candidates) {
    reached += BigInt(candidate.weight);
    if (place < reached) return candidate;
  }
  throw new Error('a list whose weights add up to nothing');
}

const fingerprintOf = (ruleId, { number, twitchId, candidates, rewardId }) =>
  sha256(
    JSON.stringify([
      ruleId,
      number,
      twitchId,
      candidates.map((each) => [each.appId, each.marketHashName, each.rewardId, each.weight]),
      rewardId,
    ]),
  );

/** Everything that is wrong with one draw, which should have this number. */
function faultsOfDraw(proof, draw, number) {
  if (draw?.number !== number)
    return [`it is numbered ${draw?.number}, so a draw is missing or out of place`];
  if (!isText(draw.twitchId)) return ['it does not say for whom it was'];
  const faults = faultsOfList(draw.candidates);
  if (faults.length > 0) return faults;
  if (!draw.candidates.some(({ rewardId }) => rewardId === draw.rewardId))
    faults.push('what it took was not in its list');
  if (draw.fingerprint !== fingerprintOf(proof.rule.id, draw))
    faults.push('its fingerprint is not that of what it says');
  if (proof.seed !== null) {
    const again = drawAgain(proof.seed, proof.rule.id, draw);
    if (again.rewardId !== draw.rewardId)
      faults.push(`done again it takes "${again.marketHashName}" (${again.rewardId}), not ${draw.rewardId}`);
  }
  return faults;
}

/** Everything that is wrong between the draws: who and what came up twice. */
function faultsAmong(draws) {
  const faults = [];
  const viewers = new Set();
  const drawn = new Set();
  for (const { number, twitchId, candidates, rewardId } of draws) {
    if (viewers.has(twitchId)) faults.push(`draw ${number}: viewer ${twitchId} was drawn for before`);
    viewers.add(twitchId);
    for (const candidate of candidates)
      if (drawn.has(candidate.rewardId))
        faults.push(`draw ${number}: reward ${candidate.rewardId} was drawn before`);
    drawn.add(rewardId);
  }
  return faults;
}

/** Everything that is wrong with a published proof. */
function faultsOf(proof, kept) {
  if (proof?.format !== FORMAT) return [`this is not a file of the format ${FORMAT}`];
  if (!isText(proof.rule?.id) || !isText(proof.commitment) || !Array.isArray(proof.draws))
    return ['the file is not complete'];
  const faults = [];
  if (proof.seed !== null && !isText(proof.seed)) return ['the seed is neither a text nor null'];
  if (proof.seed !== null && sha256(proof.seed) !== proof.commitment)
    faults.push('the seed is not the one that was promised: its SHA-256 is not the commitment');
  const faulty = proof.draws.flatMap((draw, place) =>
    faultsOfDraw(proof, draw, place + 1).map((fault) => `draw ${place + 1}: ${fault}`),
  );
  faults.push(...faulty);
  if (faulty.length === 0) faults.push(...faultsAmong(proof.draws));
  const known = new Set(proof.draws.map((draw) => draw?.fingerprint));
  for (const fingerprint of kept)
    if (!known.has(fingerprint.toLowerCase())) faults.push(`no draw has the fingerprint ${fingerprint}`);
  return faults;
}

function readProof(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`The file ${file} cannot be read: ${error.message}`);
    return exit(1);
  }
}

const [file, ...kept] = argv.slice(2);
if (!file) {
  console.error('Usage: node verify-draws.mjs draws.json [fingerprint …]');
  exit(1);
}
const proof = readProof(file);
const faults = faultsOf(proof, kept);
if (faults.length > 0) {
  console.error('NOT VERIFIED');
  for (const fault of faults) console.error(`- ${fault}`);
  exit(1);
}
const amount = `${proof.draws.length} ${proof.draws.length === 1 ? 'draw' : 'draws'}`;
if (proof.seed === null) {
  console.error(
    `NOT VERIFIED YET: the seed is secret until the rule is closed. ${amount} recorded, nothing amiss so far.`,
  );
  exit(1);
}
console.log(`VERIFIED: ${amount} of "${proof.rule.name}" done again, each with the same result.`);
if (kept.length > 0) console.log(`All ${kept.length} kept fingerprints are among them.`);
console.log(`Commitment ${proof.commitment}`);
