import { parseArgs } from 'node:util';
import type { Database } from '#db/database.ts';
import { type AdoptRefusal, adoptAsset } from '#domain/custody/adopt-asset.ts';
import { type CustodyConcerns, listConcerns } from '#domain/custody/list-concerns.ts';
import type { CustodyChange } from '#domain/custody/rehearse.ts';
import { type ReleaseRefusal, releaseItem } from '#domain/custody/release-item.ts';
import {
  type ResolveRefusal,
  resolveTransfer,
  type TransferFinding,
} from '#domain/custody/resolve-transfer.ts';
import { setAsideAsset } from '#domain/custody/set-aside-asset.ts';
import { type SettleRefusal, settleDrift } from '#domain/custody/settle-drift.ts';
import type { Outcome } from '#domain/kernel/outcome.ts';
import type { TransferConcern } from '#domain/outbox/queue-mail.ts';

interface CustodyDeps {
  db: Database;
  nowMs: number;
  print(line: string): void;
}

export const custodyUsage = `Usage: keepsake custody [--json]
   or: keepsake custody adopt BOT/GAME/ASSET --item ITEM | --owner USER [--dry-run]
   or: keepsake custody release ITEM | BOT/GAME/ASSET [--dry-run]
   or: keepsake custody settle ITEM [--dry-run]
   or: keepsake custody resolve TRANSFER --found OFFER | --absent | --delivered [--asset OLD=NEW]… | --undelivered [--dry-run]`;

type Refusal = AdoptRefusal | ReleaseRefusal | ResolveRefusal | SettleRefusal;

const refusals: Record<Refusal, string> = {
  assetUnknown:
    'no bot has reported this asset as unknown. `keepsake custody` lists those older than an hour.',
  assetTaken: 'the asset belongs to an item, or came back in a reversal that the bot will book itself.',
  depositOpen: 'an open deposit waits for an asset of this class. Resolve that deposit first.',
  itemNotFound: 'there is no such item.',
  noDrift: 'no audit found this item to differ from the ledger.',
  itemNotMissing: 'the item is not missing.',
  anotherKind: 'the asset is with another bot or of another class than the item.',
  steamNotLinked: 'there is no such account, or it has no Steam account.',
  inOffer: 'the item is in an open offer. Resolve that transfer first.',
  transferNotFound: 'there is no such transfer.',
  transferEnded: 'the transfer has ended.',
  stillSending: 'the bot may be sending it right now. Try again in two minutes.',
  notDoubtful: 'the bot knows whether this offer was sent.',
  notSent: 'the transfer is still queued. Whoever requested it can cancel it.',
  offerTaken: 'this offer belongs to another transfer.',
  offerMayBeOpen:
    'Steam may still have the offer open, for 14 days after it was sent. Cancel it on Steam, and wait.',
  protectedStill: 'the trade can still be reversed.',
  changedHands: 'the items have changed hands. A reversal is booked by the bot itself.',
  assetsUnclear:
    'which unknown assets the deposit brought is not clear. Name each one with --asset OLD=NEW, both of one class.',
};

/** `keepsake custody …`: lists custody's open questions for the operator, or resolves one of them. */
export async function runCustody(args: readonly string[], deps: CustodyDeps): Promise<boolean> {
  const read = readArgs(args);
  if (!read) return misused(deps);
  const { positionals, values } = read;
  const [verb, subject, ...others] = positionals;
  if (others.length > 0) return misused(deps);
  if (verb === undefined) return printConcerns(deps, values.json === true);
  const isRehearsal = values['dry-run'] === true;
  const mended = subject && (await mend(verb, subject, { ...values, isRehearsal }, deps));
  return mended ? report(mended, isRehearsal, deps) : misused(deps);
}

/** Null: an option that does not exist. */
function readArgs(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        item: { type: 'string' },
        owner: { type: 'string' },
        found: { type: 'string' },
        absent: { type: 'boolean' },
        delivered: { type: 'boolean' },
        undelivered: { type: 'boolean' },
        asset: { type: 'string', multiple: true },
      },
    });
  } catch {
    return null;
  }
}

function misused({ print }: CustodyDeps): boolean {
  print(custodyUsage);
  return false;
}

interface Given {
  isRehearsal: boolean;
  item?: string | undefined;
  owner?: string | undefined;
  found?: string | undefined;
  absent?: boolean | undefined;
  delivered?: boolean | undefined;
  undelivered?: boolean | undefined;
  asset?: string[] | undefined;
}
type Mended = Outcome<{ changes: CustodyChange[] }, Refusal>;

/** Null if the arguments name no action. */
async function mend(
  verb: string,
  subject: string,
  given: Given,
  { db, nowMs }: CustodyDeps,
): Promise<Mended | null> {
  const { isRehearsal, item: itemId, owner: ownerId } = given;
  const asset = assetFrom(subject);
  if (verb === 'adopt' && asset && (itemId === undefined) !== (ownerId === undefined)) {
    const to = itemId === undefined ? { ownerId: ownerId ?? '' } : { itemId };
    return adoptAsset(db, { ...asset, to, isRehearsal }, nowMs);
  }
  if (verb === 'settle') return settleDrift(db, { itemId: subject, isRehearsal }, nowMs);
  if (verb === 'release')
    return asset
      ? setAsideAsset(db, { ...asset, isRehearsal }, nowMs)
      : releaseItem(db, { itemId: subject, isRehearsal }, nowMs);
  const finding = verb === 'resolve' ? findingFrom(given) : null;
  return finding
    ? resolveTransfer(db, { transferId: subject, finding, isRehearsal }, nowMs, Date.now())
    : null;
}

/** `bot-1/730/123456`: bots may have slashes in their names, assets not. */
function assetFrom(subject: string): { botId: string; appId: number; assetId: string } | null {
  const [, botId, appId, assetId] = /^(.+)\/(\d+)\/(\d+)$/.exec(subject) ?? [];
  return botId && appId && assetId ? { botId, appId: Number(appId), assetId } : null;
}

function findingFrom({ found, absent, delivered, undelivered, asset = [] }: Given): TransferFinding | null {
  const findings: TransferFinding[] = [];
  if (found) findings.push({ as: 'found', offerId: found });
  if (absent) findings.push({ as: 'absent' });
  if (undelivered) findings.push({ as: 'undelivered' });
  if (delivered) {
    const assets = Object.fromEntries(asset.map((pair) => pair.split('=') as [string, string]));
    findings.push(asset.length > 0 ? { as: 'delivered', assets } : { as: 'delivered' });
  }
  const [finding, ...others] = findings;
  return finding && others.length === 0 ? finding : null;
}

function report(mended: Mended, isRehearsal: boolean, { print }: CustodyDeps): boolean {
  if (!mended.ok) {
    print(`Refused: ${refusals[mended.code]}`);
    return false;
  }
  print(isRehearsal ? 'This would change:' : 'Changed:');
  for (const { subject, id, from, to } of mended.changes) print(`  ${subject} ${id}: ${from} → ${to}`);
  return true;
}

const reasons: Record<TransferConcern, string> = {
  sendingUnknown: 'whether its offer was sent is not known',
  unconfirmed: 'its offer waits for the mobile confirmation',
  offerUnknown: 'Steam does not show its offer any more',
  acceptedUnclear: 'its offer was accepted, but Steam does not show what was exchanged',
  reversalUnclear: 'its trade was reversed, and where its items are is not known',
  overdue: 'its offer should have ended',
  escrowed: 'Steam holds it for longer than it ever does',
  tradeUnknown: 'Steam holds it without naming its trade',
  unsettled: 'its trade should be final, and Steam has not said so',
};

async function printConcerns({ db, nowMs, print }: CustodyDeps, asJson: boolean): Promise<boolean> {
  const concerns = await listConcerns(db.read, nowMs);
  if (asJson) {
    print(JSON.stringify({ bots: Object.fromEntries(concerns) }, null, 2));
    return true;
  }
  if (concerns.size === 0) print('No bot has run yet.');
  for (const [botId, of] of concerns) for (const line of linesOf(botId, of, nowMs)) print(line);
  return true;
}

function linesOf(
  botId: string,
  { drifts, unknownAssets, missingItems, transfers }: CustodyConcerns,
  nowMs: number,
) {
  const age = (sinceMs: number) => `for ${ageText(nowMs - sinceMs)}`;
  const lines = [
    ...drifts.map(
      ({ itemId, holder, rebuilt, sinceMs }) =>
        `  item ${itemId} differs from the ledger, ${age(sinceMs)}: its row said ${holder}, the ledger leads to ${rebuilt ?? 'nowhere'}`,
    ),
    ...unknownAssets.map(
      ({ appId, assetId, marketHashName, sinceMs }) =>
        `  unknown asset ${botId}/${appId}/${assetId}: ${marketHashName}, ${age(sinceMs)}`,
    ),
    ...missingItems.map(
      ({ itemId, ownerId, appId, assetId, marketHashName, sinceMs }) =>
        `  missing item ${itemId} of ${ownerId}: ${marketHashName} (${appId}/${assetId}), ${age(sinceMs)}`,
    ),
    ...transfers.map(
      ({ kind, transferId, concern, partnerSteamId, securityCode, offerId, items, sinceMs }) =>
        `  ${kind} ${transferId}: ${reasons[concern]}, ${age(sinceMs)}; ${offerId ? `offer ${offerId}` : 'no known offer'} ${securityCode}, with ${partnerSteamId}: ${items.map(({ name, assetId }) => `${name} (${assetId})`).join(', ')}`,
    ),
  ];
  return lines.length > 0 ? [`${botId}:`, ...lines] : [`${botId}: nothing to do`];
}

function ageText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
