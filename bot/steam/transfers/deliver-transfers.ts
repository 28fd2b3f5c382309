import { countDown, HELD_MS } from '#bot/leases.ts';
import type {
  OfferedAsset,
  SteamAccount,
  SteamAnswer,
  SteamCode,
  SteamFailure,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import {
  endSendingPause,
  recordSendingRefusalIn,
  type SendingRefusal,
  untilSendingMs,
} from '#domain/bot/sending-pause.ts';
import { minute, second } from '#domain/kernel/time.ts';
import type { TransferChange } from '#domain/transfer/advance-transfer.ts';
import { type LeasedTransfer, leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { makePlace } from '#domain/transfer/make-place.ts';
import { nextQueuedMs } from '#domain/transfer/next-transfer-due.ts';
import { renewSending } from '#domain/transfer/renew-sending.ts';
import { reportSending, type Sending } from '#domain/transfer/report-sending.ts';
import { waitForRoom } from '#domain/transfer/wait-for-room.ts';
import { findStacksThere } from './find-stacks-there.ts';
import { offerMessageOf } from './offer-message.ts';
import type { AccountRefusal, TransferWork } from './transfer-work.ts';
import { untilStored } from './until-stored.ts';

/** A transfer is given up after this many attempts; the pauses between them grow. */
export const MAX_ATTEMPTS = 12;
/** Number of attempts, about a day of them, if the bot or Steam is the cause. */
export const MAX_OWN_ATTEMPTS = 55;
const FIRST_PAUSE_MS = 20 * second;
const MAX_PAUSE_MS = 30 * minute;
const MAX_PER_ROUND = 25;
/** A call that begins within this time of its lease has ended before the lease does. */
const START_WITHIN_MS = SENDING_LEASE_MS - minute;
/** A deposit is sent only if this much of the bot's own lease is left. */
const AMPLE_MS = HELD_MS / 2;

/** Failures of the bot itself, which would also affect the next transfer. */
const stopsRound: ReadonlySet<string> = new Set([
  'steamSessionLost',
  'steamBusy',
  'steamUnavailable',
  'sendingLimited',
  'botRestricted',
  'botRenamed',
]);

/** Returns whether nobody but the bot or Steam can change this. */
const isOwnCause = (code: string) => stopsRound.has(code) || code === 'offerLimit';

/**
 * Sends a bot's queued offers one after another. Every outcome is one event: sent, refused, deferred or, when the
 * answer was lost, uncertain. An uncertain offer is not sent again until it is proven absent.
 */
export async function deliverTransfers(
  work: TransferWork,
  checkedClaims: () => readonly string[],
  signal: AbortSignal,
): Promise<NextDue> {
  try {
    return await deliverRound(work, checkedClaims, signal);
  } finally {
    // Confirmations wait while offers are being sent.
    if (work.delivery.isUnderWay) work.nudge();
    work.delivery.isUnderWay = false;
    work.delivery.sendingId = null;
  }
}

async function deliverRound(
  work: TransferWork,
  checkedClaims: () => readonly string[],
  signal: AbortSignal,
): Promise<NextDue> {
  const { db, clock, log } = work.deps;
  let hasVisited = false;
  for (let tried = 0; tried < MAX_PER_ROUND && !signal.aborted; tried++) {
    const account = work.account();
    if (!account) return null;
    const wanted = { botId: work.botId, holder: work.holder, limit: 1, checkedClaims: checkedClaims() };
    const pausedMs = Math.max(
      await untilSendingMs(db.read, work.botId, Date.now()),
      work.patience.leftMs(UNANSWERED),
    );
    if (pausedMs > 0) return pausedMs;
    const nowMs = clock.now();
    const [leased] = await leaseTransfers(db, wanted, nowMs, Date.now());
    if (!leased) return whenNothingIsLeased(work, wanted.checkedClaims, nowMs);
    work.delivery.isUnderWay = true;
    work.delivery.sendingId = leased.id;
    const answer = await deliver(work, account, leased, signal);
    work.delivery.sendingId = null;
    if (answer.ok) continue;
    if (stopsRound.has(answer.code) || answer.isCutOff) return 0;
    // Offers that ended may count as open until their page is visited: once a round, however many transfers are
    // refused. Those are tried again later.
    if (answer.code !== 'offerLimit' || hasVisited) continue;
    hasVisited = true;
    const visited = await account.visitSentOffers();
    if (!visited.ok)
      log.warn({ bot: work.botId, detail: visited.detail }, 'the page of sent offers was not visited');
  }
  return 0;
}

/**
 * Handles due transfers that were not leased, because they wait for a check or for a place. Both are changes
 * that wake the worker, but a place may have to be made. `nowMs` is the time at which transfers to lease were
 * searched for, so that transfers which became due since then are due.
 */
async function whenNothingIsLeased(
  work: TransferWork,
  checkedClaims: readonly string[],
  nowMs: number,
): Promise<NextDue> {
  const { deps, botId } = work;
  // The end of the stop is a change too. Until then nothing waits for a place.
  if (await findSendingStop(deps.db.read)) return null;
  const { asked, nextMs } = await makePlace(deps.db, { botId, checkedClaims }, nowMs);
  if (asked > 0) {
    deps.log.info({ bot: botId, offers: asked }, 'takes back unanswered offers, because others wait');
    work.nudge();
  }
  await waitForRoom(deps.db, { botId }, { nowMs, systemMs: Date.now() });
  return soonest(await nextQueuedMs(deps.db.read, { botId }, nowMs), nextMs);
}

async function deliver(
  work: TransferWork,
  account: SteamAccount,
  leased: LeasedTransfer,
  signal: AbortSignal,
): Promise<SteamAnswer<unknown>> {
  const { db, clock, log } = work.deps;
  const answer = await prepareAndSend(work, account, leased, signal);
  if (answer.isLeaseLost) {
    log.warn({ transfer: leased.id, kind: leased.kind }, 'lost the lease of an offer before it was sent');
    return answer;
  }
  const change: TransferChange = answer.ok
    ? { event: answer.value.needsConfirmation ? 'created' : 'sent', offerId: answer.value.offerId }
    : changeFromFailure(answer, leased.attempts, clock.now());
  const refusal = refusalOf(work, leased, answer);
  const isReported = await untilStored(
    () =>
      reportSending(db, sendingOf(work, leased), change, clock.now(), async (tx) => {
        const times = { nowMs: clock.now(), systemMs: Date.now() };
        if (refusal) await recordSendingRefusalIn(tx, refusal, times);
      }),
    work.deps,
    signal,
  );
  if (refusal) log.warn(said(refusal), 'Steam refused an offer for a reason that may concern the account');
  const facts = { transfer: leased.id, kind: leased.kind, event: change.event, attempt: leased.attempts };
  if (!isReported) {
    log.warn(facts, 'the lease of an offer ended before its result; it is searched for');
    return answer;
  }
  await endPauses(work, answer);
  if (answer.ok) log.info({ ...facts, offer: answer.value.offerId }, 'offer sent');
  else log.warn({ ...facts, code: answer.code, detail: answer.detail }, 'offer not sent');
  if (!answer.ok && isAbsence(answer.code) && leased.kind !== 'deposit') work.reconcileSoon();
  return answer;
}

/** The pause of an account's sending while Steam does not answer; kept by the process, because it is short. */
const UNANSWERED = 'sending unanswered';

const refusalOfCode: Partial<Record<SteamCode, AccountRefusal>> = {
  sendingLimited: 'limited',
  botRenamed: 'renamed',
  answerLost: 'unclear',
};

const said = ({ botId: bot, code, said }: SendingRefusal) => ({ bot, code, said });

/** Returns the refusal after which all of the account's sending pauses, because it may concern the account. */
function refusalOf(
  { deps, botId, pace }: TransferWork,
  { id: transferId }: LeasedTransfer,
  answer: SendAnswer,
): SendingRefusal | null {
  if (answer.ok || !answer.wasSent || answer.isUnanswered || answer.isCutOff) return null;
  const { code, retry, detail, waitMs } = answer;
  // Steam itself was busy only if the offer may exist; otherwise our own queue was too long.
  const refusal = code === 'steamBusy' && retry === 'unknown' ? 'busy' : refusalOfCode[code];
  if (!refusal) return null;
  const { operatorEmail } = deps.config;
  return { botId, transferId, code, said: detail, waitMs, pause: pace.refusals[refusal], operatorEmail };
}

/** Ends the pauses of sending after a success. Sending pauses for a moment after no answer. */
async function endPauses({ deps, botId, pace, patience }: TransferWork, answer: SendAnswer): Promise<void> {
  if (answer.ok) {
    patience.end(UNANSWERED);
    await endSendingPause(deps.db, botId);
  } else if (answer.wasSent && answer.isUnanswered) patience.pause(UNANSWERED, pace.unanswered);
}

type SendAnswer = SteamAnswer<{ offerId: string; needsConfirmation: boolean }> & {
  /** The offer was being sent: a failure concerns that, and not a preparation. */
  wasSent?: true;
  /** Another process may be sending the transfer by now, so nothing is reported of it. */
  isLeaseLost?: true;
};

async function prepareAndSend(
  work: TransferWork,
  account: SteamAccount,
  leased: LeasedTransfer,
  signal: AbortSignal,
): Promise<SendAnswer> {
  if (leased.attempts > MAX_OWN_ATTEMPTS) return failure('steamUnavailable', 'never', 'tried too often');
  const sides = await sidesOf(work, account, leased);
  const leftMs = countDown(START_WITHIN_MS);
  const mayStart = () => leftMs() > 0;
  if (!(await renewSending(work.deps.db, sendingOf(work, leased), Date.now())))
    return { ...failure('steamBusy', 'later', 'the lease was lost'), isLeaseLost: true };
  if (!sides.ok) return sides;
  if (signal.aborted) return failure('steamBusy', 'later', 'the process stops');
  const offer = {
    partnerSteamId: leased.partnerSteamId,
    tradeToken: leased.tradeToken,
    ...sides.value,
    message: offerMessageOf(leased, work.instanceTag),
  };
  const { lease } = work.deps;
  // Only the partner confirms a deposit: one that is sent late cannot be held back any more.
  const neededMs = leased.kind === 'deposit' ? AMPLE_MS : 0;
  const answer = await account.sendOffer(offer, () => mayStart() && lease.leftMs() > neededMs);
  return { ...answer, wasSent: true };
}

const sendingOf = ({ holder }: TransferWork, { id, attempts }: LeasedTransfer): Sending => ({
  transferId: id,
  attempts,
  holder,
});

const isAbsence = (code: SteamCode) => code === 'itemUnavailable' || code === 'stackChanged';

type Sides = Required<OfferedAsset>[];

async function sidesOf(
  work: TransferWork,
  account: SteamAccount,
  { kind, assets }: LeasedTransfer,
): Promise<SteamAnswer<{ give: Sides; receive: Sides }>> {
  if (kind === 'deposit') {
    const alone = await findStacksThere(work, account, assets);
    return alone ?? { ok: true, value: { give: [], receive: assets } };
  }
  const located = await work.inventory.locate(account, assets);
  return located.ok ? { ok: true, value: { give: located.value, receive: [] } } : located;
}

function changeFromFailure({ code, retry }: SteamFailure, attempts: number, nowMs: number): TransferChange {
  if (retry === 'unknown') return { event: 'answerLost', error: code };
  const maxAttempts = isOwnCause(code) ? MAX_OWN_ATTEMPTS : MAX_ATTEMPTS;
  if (retry === 'never' || attempts >= maxAttempts) return { event: 'refused', error: code };
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
  return {
    event: 'deferred',
    error: code,
    runAtMs: nowMs + Math.round(pauseMs * (0.8 + 0.4 * Math.random())),
  };
}
