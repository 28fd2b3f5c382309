#!/usr/bin/env node
// Checks the draws of one Keepsake rule, without trusting Keepsake.
//
//   node verify-draws.mjs https://<site>/proof/<rule id>.json [fingerprint …]
//   node verify-draws.mjs draws-<rule id>-000001.json [draws-<rule id>-001001.json …] [fingerprint …]
//   (where a page has more changes than it holds, their file, changes-<rule id>-….json, goes behind it)
//
// What is published of a rule's draws comes in pages, each of which names the next one. Given the address of the first
// page, the script fetches them all from that site; given files, it sends nothing anywhere. Nothing but Node.js (18 or
// newer) is needed. With fingerprints after them, which you kept from the days of the draws, each of them has to be among
// the draws.
//
//   --seconds <n>   how long one page may take to come, instead of 30
//
// It ends with 0 when every check passed, and with 1 when one failed or the seed is not known yet.
//
// What it checks
//   1. The seed is the one that was promised: its SHA-256 is the commitment, which stood on the page before the first draw.
//   2. The pages are those of one rule, agree about its seed, and follow one another with nothing left out, repeated or put
//      elsewhere; the last one ends with the draw that the site calls the latest.
//   3. The draws are numbered 1, 2, 3 … without a hole.
//   4. Nobody was drawn for twice, and no reward was drawn twice or offered again after it was drawn.
//   5. The list of each draw is in its one right order: by app id, then by the bytes of the market hash name, each kind
//      once, each with a whole weight from 1 to 1,000,000.
//   6. Each draw done again takes the reward that it is said to have taken:
//        h     = HMAC-SHA256(key: the seed's text, message: "<rule id>:<draw number>:<viewer's Twitch id>")
//        place = floor(h × W ÷ 2^256)      h as a big-endian number, W the sum of all weights of the list
//        The list is walked from its beginning; the first candidate whose weights, added up so far, exceed the place is drawn.
//   7. The fingerprint of each draw is that of what is said of it: SHA-256 of the JSON text, without spaces, of
//        [previous, rule id, number, drawn at, Twitch id, [[app id, market hash name, reward id, weight], …], drawn reward id]
//      where "previous" is the fingerprint of the draw before it, and for draw 1 the commitment. So each fingerprint vouches
//      for all draws up to its own.
//
//   8. The listed changes of weights and rewards stand in order, by the draw before them, each with a time that fits there.
//      A kind keeps its weight from one list to the next, unless a change between them says from what and to what it went.
//
//   9. A draw whose claim the rule's owner stopped says for which reason. The script counts them.
//
//  10. The listed corrections of the rule stand in order, and each goes on from the values that the ones before it left; the
//      last values are those that the rule has. After the first draw a rule only became easier: less of each condition or
//      none, never another kind of reward or less time to claim. A harder rule is another one, which the page names.
//
// What it cannot see: the changes are the site's own record and no part of the fingerprints, as stopped claims are, and no list says how many
// rewards of a kind were free. So amounts are told, not checked. A kind can also come into a list or leave it without a
// listed change, as when Steam's lock of an item ends: the script counts how often that was so.
//
// Nor can it see that whoever runs the site wrote the whole chain again, with other weights that leave each result, or
// cut draws off its end. That is what fingerprints are for: one that you kept on its day fails to be found then, and so
// does every later one that anybody kept.
//
// This file shares no code with Keepsake on purpose.
//
// Raffles
//   Given the data of a raffle in chat, https://<site>/raffle/<raffle id>.json, it checks that
//     the seed's SHA-256 is the commitment; each entry was written in time and stands once, in its place;
//     the list's hash, and each that was published while it ran, is that of the entries up to there:
//       SHA-256 of the JSON text [hash before, number, Twitch id, time], which begins with that of
//       [commitment, raffle id, keyword, winners, start, planned end, terms],
//       where the terms are what is won and who may enter, as pairs of a name and a value;
//     the entries, ordered by HMAC-SHA256(key: seed, message: "<raffle id>:<hash of the list>:<Twitch id>"), have the
//     places that were published; the draw came at least ten seconds after the list was announced, or three minutes
//     after it was closed if no announcement is on record; nobody was passed over without a reason, and it is not over with places left and
//     nobody served.
//   Of a raffle that was cancelled after its start it tells who would have come first.
//   Hashes that you kept, from chat or the page, have to be among those of the list.

import { createHash, createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { argv, exit } from 'node:process';

const FORMAT = 'keepsake-draws/1';
const CHANGES_FORMAT = 'keepsake-changes/1';
const RAFFLE_FORMAT = 'keepsake-raffle/1';
/** The least time from the announcement of a list to its draw, and from its end if none is on record. */
const ANNOUNCED_FOR_MS = 10_000;
const UNANNOUNCED_FOR_MS = 180_000;
/**
 * The time of a change may lie this far outside its draws, because it was taken before the change had its
 * turn.
 */
const CLOCK_MS = 10 * 60 * 1000;
/** The reasons for which a claim can be stopped, in words. */
const STOP_REASONS = {
  accountStolen: "somebody else used the owner's account",
  ruleAbused: 'bots or several accounts of one person',
  mistake: 'a mistake of the owner',
};
/** The reasons for which a place of a raffle can be passed over, in words. */
const PASS_REASONS = {
  unfit: 'did not meet what the raffle asks',
  hasOne: 'had an item of the raffle already',
  notTaken: 'made no account in time',
  itemGone: 'came to an item that was gone',
};
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PAGES = 20_000;
const MOST_FAULTS_TOLD = 50;

/** Thrown to end the check at once, because the rest could not be read or would prove nothing. */
class Unreadable extends Error {}

const sha256 = (text) => createHash('sha256').update(text, 'utf8').digest('hex');
const isText = (value) => typeof value === 'string' && value !== '';
const isWhole = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;

/**
 * Returns below zero, zero or above, as the first of two candidates belongs before, with or after the second.
 */
function compareKinds(one, other) {
  if (one.appId !== other.appId) return one.appId - other.appId;
  return Buffer.compare(Buffer.from(one.marketHashName, 'utf8'), Buffer.from(other.marketHashName, 'utf8'));
}

/** Lists the faults in the list of one draw. */
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

/** Repeats the draw. */
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

function fingerprintOf(ruleId, { previous, number, drawnAt, twitchId, candidates, rewardId }) {
  const list = candidates.map((each) => [each.appId, each.marketHashName, each.rewardId, each.weight]);
  return sha256(JSON.stringify([previous, ruleId, number, drawnAt, twitchId, list, rewardId]));
}

/** Lists the faults in one draw by itself. */
function faultsOfDraw(proof, draw) {
  if (!isText(draw.twitchId)) return ['it does not say for whom it was'];
  if (!isText(draw.drawnAt)) return ['it does not say when it was'];
  // Data from before claims could be stopped does not mention it.
  if ((draw.stopped ?? null) !== null && !Object.hasOwn(STOP_REASONS, draw.stopped))
    return ['it does not say whether its claim was stopped'];
  if (!isText(draw.previous)) return ['it does not say what came before it'];
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

/** Lists the faults in one listed change by itself. */
function faultsOfChange({ at, lastAt, times, cause, appId, marketHashName, added, weight }) {
  const span = [Date.parse(at), Date.parse(lastAt)];
  if (!isText(marketHashName) || !isWhole(appId, 0, Number.MAX_SAFE_INTEGER) || !Number.isInteger(added))
    return ['it is not complete'];
  if (!isWhole(times, 1, Number.MAX_SAFE_INTEGER) || !(span[0] <= span[1]))
    return ['its times are not possible'];
  if (cause === 'weighed') {
    const weighs = (each) => isWhole(each, 1, 1_000_000);
    const moved = times > 1 || weight?.before !== weight?.after;
    return moved && weighs(weight?.before) && weighs(weight?.after) ? [] : ['its weights are not possible'];
  }
  const sign = { added: 1, returned: 1, removed: -1, lost: -1 }[cause];
  return sign !== undefined && Math.sign(added) === sign ? [] : [`it says "${cause}" of ${added} rewards`];
}

/** Follows weights and lists from draw to draw, beside the changes that the site lists between them. */
class Changes {
  faults = [];
  /** Numbers of changes, and of lists that changed without a listed change. */
  told = 0;
  untold = 0;
  /** Draws whose lists could be compared with the one before. */
  compared = 0;
  #weights = new Map();
  #last = null;
  #draws = [];
  #listed = new Map();
  #latest = 0;

  addDraw(draw) {
    this.#draws.push(draw);
  }

  /** Takes the changes of a page; the draws known so far are `draws`. */
  add(changes, { draws, from }) {
    for (const change of changes) {
      const { afterDraw } = change ?? {};
      if (!isWhole(afterDraw, Math.max(1, this.#latest, from), draws))
        throw new Unreadable(`a change is listed after draw ${afterDraw}, where it does not belong`);
      this.#latest = afterDraw;
      this.told += Number.isInteger(change.times) ? change.times : 0;
      for (const fault of faultsOfChange(change)) this.#say(change, fault);
      this.#listed.set(afterDraw, [...(this.#listed.get(afterDraw) ?? []), change]);
    }
  }

  /** Compares the lists so far, once all changes after these draws are known. */
  settle(recordedFrom) {
    for (const draw of this.#draws) {
      if (draw.number <= recordedFrom + 1) this.#weights.clear();
      this.#compareTimes(draw);
      if (draw.number > recordedFrom + 1) this.#compareKinds(draw);
      this.#compareWeights(draw);
      for (const change of this.#listed.get(draw.number) ?? []) this.#apply(change);
      this.#last = { draw, changes: this.#listed.get(draw.number) ?? [] };
    }
    this.#draws = [];
    this.#listed.clear();
  }

  #compareTimes({ drawnAt }) {
    for (const change of this.#last?.changes ?? [])
      if (
        Date.parse(change.at) < Date.parse(this.#last.draw.drawnAt) - CLOCK_MS ||
        Date.parse(change.lastAt) > Date.parse(drawnAt) + CLOCK_MS
      )
        this.#say(change, 'its time is not between that of this draw and the next');
  }

  #compareKinds({ candidates }) {
    if (!this.#last) return;
    this.compared++;
    const { draw, changes } = this.#last;
    const drawn = draw.candidates.find(({ rewardId }) => rewardId === draw.rewardId);
    const told = (kind, sign) =>
      changes.some((change) => kindOf(change) === kind && Math.sign(change.added) === sign);
    const before = new Set(draw.candidates.map(kindOf));
    const now = new Set(candidates.map(kindOf));
    for (const kind of now) if (!before.has(kind) && !told(kind, 1)) this.untold++;
    for (const kind of before)
      if (!now.has(kind) && kind !== kindOf(drawn ?? {}) && !told(kind, -1)) this.untold++;
  }

  #compareWeights({ number, candidates }) {
    for (const candidate of candidates) {
      const { marketHashName, weight } = candidate;
      const known = this.#weights.get(kindOf(candidate)) ?? weight;
      if (known !== weight)
        this.faults.push(
          `draw ${number}: "${marketHashName}" weighs ${weight}, but ${known} before, and no change is listed`,
        );
      this.#weights.set(kindOf(candidate), weight);
    }
  }

  #apply(change) {
    if (!change.weight) return;
    const known = this.#weights.get(kindOf(change)) ?? change.weight.before;
    if (known !== change.weight.before)
      this.#say(change, `it goes on from the weight ${change.weight.before}, but it was ${known}`);
    this.#weights.set(kindOf(change), change.weight.after);
  }

  #say({ afterDraw, marketHashName }, fault) {
    this.faults.push(`change of "${marketHashName}" after draw ${afterDraw}: ${fault}`);
  }
}

/** Says of each value whether it became no harder. */
const isNoMore = (from, to) => to === null || (from !== null && to <= from);
const isNoShorter = (from, to) => to >= from;
const EASIER = {
  name: () => true,
  type: (from, to) => from === to,
  claimTimeoutHours: isNoShorter,
  watchMinutes: isNoMore,
  watchScope: (_, to) => to === 'allTime',
  followDays: isNoMore,
  subscriberTier: isNoMore,
  attendedStreams: isNoMore,
  ofLastStreams: (from, to) => to === null || (from !== null && to >= from),
  pointsCost: (from, to) => from === to,
};

/** Follows the values of a rule from one correction to the next. */
class Corrections {
  faults = [];
  told = 0;
  #values = new Map();
  #latest = { afterDraw: 0, at: Number.NEGATIVE_INFINITY };
  /** Faults of a rule that asks for time to watch, which is not known yet. */
  #ifWatched = [];

  add(corrections, draws) {
    for (const { at, afterDraw, before, after } of corrections) {
      const say = (fault) => this.faults.push(`correction after draw ${afterDraw}: ${fault}`);
      if (!isWhole(afterDraw, this.#latest.afterDraw, draws) || !(Date.parse(at) > this.#latest.at))
        say('it is not in its place');
      this.#latest = { afterDraw, at: Date.parse(at) };
      this.told++;
      if (before?.watchMinutes !== undefined) this.#settle(before.watchMinutes);
      const harder = [];
      for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
        const [from, to] = [before?.[name], after?.[name]];
        const known = this.#values.has(name) ? this.#values.get(name) : from;
        if (from === undefined || to === undefined || from === to) say(`it does not say how ${name} changed`);
        else if (known !== from) say(`${name} goes on from ${from}, but it was ${known}`);
        else if (afterDraw > 0 && !(Object.hasOwn(EASIER, name) && EASIER[name](from, to)))
          harder.push({ name, say: () => say(`${name} became harder: from ${from} to ${to}`) });
        this.#values.set(name, to);
      }
      this.#takeHarder(harder);
    }
  }

  /** From when time counts means nothing without time to watch. */
  #takeHarder(harder) {
    for (const { name, say } of harder)
      if (name === 'watchScope') this.#ifWatched.push(say);
      else say();
    if (this.#values.has('watchMinutes')) this.#settle(this.#values.get('watchMinutes'));
  }

  #settle(watchMinutes) {
    if (watchMinutes !== null) for (const say of this.#ifWatched) say();
    this.#ifWatched = [];
  }

  end(terms) {
    this.#settle(terms?.watchMinutes);
    for (const [name, value] of this.#values)
      if (terms?.[name] !== value)
        this.faults.push(`the rule has ${name} ${terms?.[name]}, but was corrected to ${value}`);
  }
}

const kindOf = ({ appId, marketHashName }) => `${appId} ${marketHashName}`;

/**
 * Goes through the pages of one proof in their order, and remembers everything that the next ones have to
 * agree with.
 */
class Check {
  faults = [];
  /** The first page: all others have to be of the same rule. */
  first = null;
  /** Of each draw so far, the first one first. */
  fingerprints = [];
  /** Draws whose claims were stopped, by reason. */
  stopped = new Map();
  #viewers = new Set();
  #drawn = new Set();
  #heads = [];
  #next = null;
  /** Cursor of the rest of the changes after the last page's draws, if that page does not have them all. */
  #more = null;
  changes = new Changes();
  corrections = new Corrections();
  #terms = null;

  take(page, name) {
    if (page?.format === CHANGES_FORMAT) return this.#takeChanges(page, name);
    this.#endPage();
    if (page?.format !== FORMAT) throw new Unreadable(`${name} is not a page of the format ${FORMAT}`);
    if (
      !isText(page.rule?.id) ||
      !isText(page.commitment) ||
      !Array.isArray(page.draws) ||
      !isWhole(page.changesFrom, 0, Number.MAX_SAFE_INTEGER)
    )
      throw new Unreadable(`${name} is not complete`);
    if (page.seed !== null && !isText(page.seed))
      throw new Unreadable(`${name} has a seed that is neither a text nor null`);
    if (page.next !== null && !isText(page.next))
      throw new Unreadable(`${name} does not say what follows it`);
    this.first ??= page;
    this.#compare(page, name);
    for (const draw of page.draws) this.#takeDraw(draw);
    if (page.next !== null && page.draws.length === 0)
      throw new Unreadable(`${name} has no draws, yet is not the last`);
    this.#heads.push(page.head);
    this.#next = page.next;
    this.#addChanges(page, name, page.after + 1);
    // Data from before rules could be corrected does not mention it.
    this.corrections.add(page.corrections ?? [], this.fingerprints.length);
    this.#terms = page.rule.terms;
  }

  #takeChanges(page, name) {
    if (this.#more === null || page.rule?.id !== this.first?.rule.id)
      throw new Unreadable(`${name} has changes that do not belong behind the page before it`);
    this.#addChanges(page, name, 1);
  }

  #addChanges({ changes, moreChanges }, name, from) {
    if (!Array.isArray(changes) || (moreChanges !== null && !isText(moreChanges)))
      throw new Unreadable(`${name} does not list what changed after its draws`);
    this.changes.add(changes, { draws: this.fingerprints.length, from });
    this.#more = moreChanges;
  }

  /** Compares the lists of a page, once all changes between them are known. */
  #endPage() {
    if (this.#more !== null)
      throw new Unreadable(
        `the rest of what changed up to draw ${this.fingerprints.length} is missing: it is at ${this.#more}`,
      );
    if (this.first && this.faults.length === 0) this.changes.settle(this.first.changesFrom);
  }

  #compare(page, name) {
    const { rule, commitment, seed } = this.first;
    if (page.rule.id !== rule.id) throw new Unreadable(`${name} is of another rule`);
    if (page.commitment !== commitment)
      throw new Unreadable(`${name} has another commitment than the first page`);
    if (page.seed !== seed)
      throw new Unreadable(
        `${name} has another seed than the first page: if the rule was closed in between, get all pages again`,
      );
    if (page.after !== this.fingerprints.length)
      throw new Unreadable(
        `${name} goes on after draw ${page.after}, not after draw ${this.fingerprints.length}: a page is missing, repeated or out of order`,
      );
  }

  #takeDraw(draw) {
    const number = this.fingerprints.length + 1;
    const say = (fault) => this.faults.push(`draw ${number}: ${fault}`);
    if (draw?.number !== number)
      throw new Unreadable(
        `draw ${number}: it is numbered ${draw?.number}, so a draw is missing or out of place`,
      );
    const faults = faultsOfDraw(this.first, draw);
    if (draw.previous !== (this.fingerprints.at(-1) ?? this.first.commitment))
      faults.push('the fingerprint that it goes on from is not that of the draw before it');
    for (const fault of faults) say(fault);
    if (faults.length === 0) for (const fault of this.#twice(draw)) say(fault);
    this.fingerprints.push(draw.fingerprint);
    if (draw.stopped) this.stopped.set(draw.stopped, (this.stopped.get(draw.stopped) ?? 0) + 1);
    this.changes.addDraw(draw);
  }

  /** Reports a viewer or a reward that was drawn before. */
  #twice({ twitchId, candidates, rewardId }) {
    const faults = [];
    if (this.#viewers.has(twitchId)) faults.push(`viewer ${twitchId} was drawn for before`);
    this.#viewers.add(twitchId);
    for (const candidate of candidates)
      if (this.#drawn.has(candidate.rewardId)) faults.push(`reward ${candidate.rewardId} was drawn before`);
    this.#drawn.add(rewardId);
    return faults;
  }

  /** Reports the facts that need all pages. */
  end(kept) {
    this.#endPage();
    this.corrections.end(this.#terms);
    this.faults.push(...this.changes.faults, ...this.corrections.faults);
    const { seed, commitment } = this.first;
    if (seed !== null && sha256(seed) !== commitment)
      this.faults.unshift('the seed is not the one that was promised: its SHA-256 is not the commitment');
    const total = this.fingerprints.length;
    if (this.#next !== null)
      this.faults.push(`the draws after draw ${total} are missing: they begin at ${this.#next}`);
    const latest = this.#heads.at(-1)?.number ?? 0;
    if (this.#next === null && latest !== total)
      this.faults.push(`the site calls draw ${latest} the latest, but the last one here is ${total}`);
    for (const head of this.#heads)
      if (head && head.number <= total && head.fingerprint !== this.fingerprints[head.number - 1])
        this.faults.push(
          `the latest draw was said to be ${head.number} with a fingerprint that it does not have`,
        );
    const known = new Set(this.fingerprints);
    for (const fingerprint of kept)
      if (!known.has(fingerprint.toLowerCase()))
        this.faults.push(`no draw has the fingerprint ${fingerprint}`);
  }
}

/** Lists the faults of a raffle: see "Raffles" above. */
function faultsOfRaffle({ raffle, terms, commitment, seed, listHash, checkpoints, entries }, kept) {
  if (!isText(raffle?.id) || ![terms, entries, checkpoints].every(Array.isArray))
    return ['the data is not complete'];
  const faults = [];
  const { id, keyword, winners, state, startedAt, plannedEnd, endedAt } = raffle;
  if (seed !== null && sha256(seed) !== commitment) faults.push('the seed is not the one that was promised');
  const isDrawn = wasDrawn(raffle);
  if ((seed === null) === (isDrawn || state === 'cancelled'))
    faults.push('its seed has to be published with its draw or its end, and not before');
  if (!isDrawn && entries.some(({ place }) => place !== null)) faults.push('it has places without a draw');
  if (!(endedAt <= plannedEnd)) faults.push('it ended after its planned end');
  const hashes = [sha256(JSON.stringify([commitment, id, keyword, winners, startedAt, plannedEnd, terms]))];
  const seen = new Set();
  for (const [index, { number, twitchId, at }] of entries.entries()) {
    if (number !== index + 1) faults.push(`entry ${number} stands where ${index + 1} should`);
    if (seen.has(twitchId)) faults.push(`${twitchId} entered twice`);
    if (!(at >= startedAt && at < endedAt)) faults.push(`entry ${number} was not written in time`);
    seen.add(twitchId);
    hashes.push(sha256(JSON.stringify([hashes[index], number, twitchId, at])));
  }
  if (hashes.at(-1) !== listHash) faults.push('the hash of the list is not that of its entries');
  for (const { number, hash } of checkpoints)
    if (hashes[number] !== hash)
      faults.push(`the hash published after entry ${number} is not that of the entries up to it`);
  for (const hash of kept)
    if (!hashes.includes(hash.toLowerCase()) && hash.toLowerCase() !== commitment)
      faults.push(`the list never had the hash ${hash}`);
  if (raffle.drawnAt) faults.push(...faultsOfAnnouncement(raffle));
  return isDrawn
    ? [...faults, ...faultsOfPlaces(raffle, inPlaces(id, seed, entries, hashes.at(-1)))]
    : faults;
}

/** Lists the faults of the time between the list and its draw, in which anybody could keep the hash of the list. */
function faultsOfAnnouncement({ sealedAt, announcedAt, drawnAt }) {
  // Data of before the time was published.
  if (announcedAt === undefined) return [];
  const [sealedMs, announcedMs, drawnMs] = [sealedAt, announcedAt, drawnAt].map((at) => Date.parse(at));
  if (announcedAt === null)
    return drawnMs - sealedMs >= UNANNOUNCED_FOR_MS
      ? []
      : ['it was drawn within three minutes, though it is not on record that its list was announced'];
  return sealedMs <= announcedMs && announcedMs <= drawnMs - ANNOUNCED_FOR_MS
    ? []
    : ['its list was not announced between its end and ten seconds before the draw'];
}

const wasDrawn = ({ state, drawnAt }) => state === 'drawn' || state === 'over' || drawnAt !== null;

/** Orders the entries of a raffle as its seed and its list do. */
function inPlaces(id, seed, entries, listHash) {
  const keyOf = ({ twitchId }) =>
    createHmac('sha256', String(seed)).update(`${id}:${listHash}:${twitchId}`, 'utf8').digest('hex');
  const keyed = entries.map((entry) => ({ entry, key: keyOf(entry) }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ entry }) => entry);
}

/** Returns whether a place has the item that it was promised, or still can have it. */
const isServed = ({ state, reward }) =>
  state === 'held' || (state === 'promised' && reward !== null && reward !== 'recalled');

/** Compares the places drawn again with those that were published, and who got one of the items, in their order. */
function faultsOfPlaces({ state, winners }, ordered) {
  const faults = [];
  for (const [index, { number, place }] of ordered.entries())
    if (place !== index + 1)
      faults.push(`entry ${number} has place ${place}; drawn again it has ${index + 1}`);
  const isReached = (entry) => entry.state === 'promised' || entry.state === 'held';
  const reached = ordered.findLastIndex(isReached);
  for (const [index, entry] of ordered.entries()) {
    const isPassed = entry.state === 'passed' && Object.hasOwn(PASS_REASONS, entry.passed);
    if (index > reached && entry.state === 'waiting') continue;
    if (!isReached(entry) && !isPassed) faults.push(`place ${index + 1} was passed over without a reason`);
  }
  const served = ordered.filter(isServed).length;
  if (served > winners) faults.push(`${served} places have an item, of ${winners}`);
  if (state === 'over' && served === 0 && ordered.some((entry) => entry.state === 'waiting'))
    faults.push('it is over, nobody has an item, and places still wait');
  return faults;
}

/** Checks the data of a raffle, and ends. */
function endWithRaffle(page, kept) {
  const faults = faultsOfRaffle(page, kept);
  if (faults.length > 0) fail('NOT VERIFIED', faults);
  const { raffle, seed, entries, checkpoints, listHash, commitment } = page;
  const amount = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;
  if (seed === null)
    fail(
      `NOT VERIFIED YET: the seed is secret until the draw. ${amount} recorded, nothing amiss so far.`,
      [],
    );
  if (wasDrawn(raffle)) tellPlaces(raffle, entries, amount);
  else tellUndrawn(raffle, inPlaces(raffle.id, seed, entries, listHash), amount);
  if (kept.length > 0) console.log(`All ${kept.length} kept hashes are among those of the list.`);
  console.log(`Hashes published while it ran: ${checkpoints.length}.`);
  console.log(`Fixed at the start: ${page.terms.map(([name, value]) => `${name} ${value}`).join(', ')}.`);
  console.log('Who was let in, and why a place was passed over, is the word of the site.');
  console.log(`Commitment ${commitment}`);
  console.log(`Hash of the list ${listHash}`);
  exit(0);
}

function tellPlaces(raffle, entries, amount) {
  console.log(`VERIFIED: the places of ${amount} of "!${raffle.keyword}" drawn again, each the same.`);
  console.log(
    raffle.announcedAt
      ? `Hash of the list announced in chat: ${raffle.announcedAt}.`
      : 'It is not on record that a chat took the hash of the list before the draw.',
  );
  const served = entries.filter(isServed).length;
  console.log(`Places that have an item, or for which one is kept: ${served} of ${raffle.winners}.`);
  if (raffle.state === 'over' && served < raffle.winners && entries.some(({ state }) => state === 'waiting'))
    console.log('Items are missing though places wait: ask the streamer where they went.');
  if (raffle.state === 'cancelled') console.log(`It was cancelled after the draw (${raffle.endReason}).`);
  for (const [reason, words] of Object.entries(PASS_REASONS)) {
    const count = entries.filter(({ passed }) => passed === reason).length;
    if (count > 0) console.log(`Places passed over, because the viewer ${words}: ${count}.`);
  }
  for (const [reason, words] of Object.entries(STOP_REASONS)) {
    const count = entries.filter(({ stopped }) => stopped === reason).length;
    if (count > 0) console.log(`Claims that the streamer stopped: ${count}, for ${words}.`);
  }
}

/** Tells who would have come first, because whoever runs the site could know that as they cancelled it. */
function tellUndrawn(raffle, ordered, amount) {
  const first = ordered
    .slice(0, raffle.winners)
    .map(({ number, twitchId }) => `entry ${number} (${twitchId})`);
  console.log(
    `CANCELLED (${raffle.endReason}) before its draw. The list of ${amount} of "!${raffle.keyword}" is as it was published.`,
  );
  if (first.length > 0) console.log(`The first places would have been: ${first.join(', ')}.`);
}

function parsePage(text, name) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unreadable(`${name} is not JSON: ${error.message}`);
  }
}

function* pagesOfFiles(files) {
  for (const file of files) {
    let text;
    try {
      if (statSync(file).size > MOST_BYTES) throw new Error('it is too large for a page of draws');
      text = readFileSync(file, 'utf8');
    } catch (error) {
      throw new Unreadable(`the file ${file} cannot be read: ${error.message}`);
    }
    yield { page: parsePage(text, file), name: file };
  }
}

/** Follows the pages from one to the next, within one site. */
async function* pagesOfAddress(address, seconds) {
  let url = new URL(address);
  let next = null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = parsePage(await fetchText(url, seconds), url.href);
    yield { page, name: url.href };
    if (page.format === FORMAT) next = page.next;
    const following = page.moreChanges ?? next;
    if (following === null) return;
    const place = new URL(following, url);
    if (place.origin !== url.origin)
      throw new Unreadable(`${url.href} sends to another site, ${place.origin}`);
    url = place;
  }
  throw new Unreadable(`there are more than ${MOST_PAGES} pages`);
}

/** Reads the text at an address, if it comes in time and is no larger than a page can be. */
async function fetchText(url, seconds) {
  try {
    const signal = AbortSignal.timeout(seconds * 1000);
    const answer = await fetch(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
    if (answer.status !== 200) {
      const wait = answer.headers.get('Retry-After');
      throw new Error(`it answered ${answer.status}${wait ? `; try again in ${wait} seconds` : ''}`);
    }
    const chunks = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new Error('it is too large for a page of draws');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    const why = error.name === 'TimeoutError' ? `nothing came within ${seconds} seconds` : error.message;
    throw new Unreadable(`${url.href} cannot be read: ${error.cause?.message ?? why}`);
  }
}

function fail(headline, faults) {
  console.error(headline);
  for (const fault of faults.slice(0, MOST_FAULTS_TOLD)) console.error(`- ${fault}`);
  if (faults.length > MOST_FAULTS_TOLD) console.error(`- and ${faults.length - MOST_FAULTS_TOLD} more`);
  exit(1);
}

function usage() {
  console.error('Usage: node verify-draws.mjs <address of the proof | its files in order> [fingerprint …]');
  exit(1);
}

/** Reads the arguments of the command line. */
function readArguments(given) {
  const asked = { sources: [], kept: [], seconds: 30 };
  for (let place = 0; place < given.length; place++) {
    const argument = given[place];
    if (argument === '--seconds') asked.seconds = Number(given[++place]);
    else if (/^[0-9a-f]{64}$/i.test(argument)) asked.kept.push(argument);
    else asked.sources.push(argument);
  }
  return asked;
}

const { sources, kept, seconds } = readArguments(argv.slice(2));
const isAddress = (source) => /^https?:\/\//i.test(source);
if (sources.length === 0 || !(seconds > 0 && seconds <= 3600)) usage();
if (sources.some(isAddress) && sources.length > 1) usage();

const check = new Check();
try {
  const pages = isAddress(sources[0]) ? pagesOfAddress(sources[0], seconds) : pagesOfFiles(sources);
  for await (const { page, name } of pages) {
    if (page?.format === RAFFLE_FORMAT) endWithRaffle(page, kept);
    check.take(page, name);
  }
  check.end(kept);
} catch (error) {
  if (!(error instanceof Unreadable)) throw error;
  check.faults.push(error.message);
}
if (check.faults.length > 0) fail('NOT VERIFIED', check.faults);
const { rule, seed, commitment } = check.first;
const total = check.fingerprints.length;
const amount = `${total} ${total === 1 ? 'draw' : 'draws'}`;
if (seed === null)
  fail(
    `NOT VERIFIED YET: the seed is secret until the rule is closed. ${amount} recorded, nothing amiss so far.`,
    [],
  );
console.log(`VERIFIED: ${amount} of "${rule.name}" done again, each with the same result.`);
if (kept.length > 0) console.log(`All ${kept.length} kept fingerprints are among them.`);
const { told, untold, compared } = check.changes;
const times = (count) => (count === 1 ? 'once' : `${count} times`);
console.log(
  `Changes listed between draws: ${told}. ${compared} lists compared with the one before: each weight fits.`,
);
if (untold > 0)
  console.log(
    `A kind came into a list or left it without a listed change ${times(untold)}, as when a lock ends.`,
  );
if (check.corrections.told > 0)
  console.log(
    `Corrections of the rule listed: ${check.corrections.told}. Each goes on from the one before; since the first draw it only became easier.`,
  );
for (const [key, words] of [
  ['succeeds', 'It took the place of the rule'],
  ['succeededBy', 'A harder rule took its place:'],
])
  if (rule[key]) console.log(`${words} ${rule[key]}, whose draws are checked by themselves.`);
for (const [reason, count] of check.stopped)
  console.log(`Claims that the rule's owner stopped: ${count}, for ${STOP_REASONS[reason]}.`);
console.log('That no other reward was added or removed is the word of the site.');
console.log(`Commitment ${commitment}`);
if (total > 0) console.log(`Fingerprint of the last draw ${check.fingerprints.at(-1)}`);
