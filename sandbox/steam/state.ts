import { randomBytes } from 'node:crypto';
import { type Dialect, plainDialect } from './dialects.ts';
import type { TradeShape } from './trade-shapes.ts';

/** An item, with the field names of Steam's inventory endpoint. Times are Unix seconds. */
export type SteamItem = {
  appid: number;
  contextid: string;
  assetid: string;
  classid: string;
  instanceid: string;
  amount: string;
  /** End of Trade Protection; 0 when the item can be traded. */
  protectedUntil: number;
  /** Time at which a trade brought it; items that were there from the start have none. */
  receivedAt?: number;
  /** A weapon's wear, from 0 to 1. It stays the same in every trade. */
  wear?: string;
};

/** Credentials and device secrets of an account that a client logs in to. */
export type SteamLogin = {
  accountName: string;
  password: string;
  sharedSecret: string;
  identitySecret: string;
};

export type SteamPerson = {
  steamId: string;
  accountId: number;
  name: string;
  tradeToken: string;
  /** Set for bots only: people are controlled from the panel and never log in. */
  login: SteamLogin | null;
  privateInventory: boolean;
  /**
   * Number of days for which Steam holds items that this person gives; 0 means that a mobile authenticator is
   * in use.
   */
  escrowDays: number;
  tradeBannedUntil: number;
  /** Less than 5 US dollars were spent from the account. */
  isLimited?: boolean;
  /** Banned from a game, whose items the account cannot trade (steamerrors.com/15). */
  isGameBanned?: boolean;
  /** Number of items of Team Fortress 2 that the account has room for, if it is not that of most. */
  backpackSlots?: number;
  /** Steam has locked the account, as after a theft. */
  isLocked?: boolean;
  /**
   * True if the account has acknowledged the Trade Protection notice; without that, Steam refuses its offers.
   */
  protectionAcknowledged: boolean;
  /** Raising these invalidates all tokens issued before. */
  accessTokenEpoch: number;
  refreshTokenEpoch: number;
  items: SteamItem[];
};

export const offerState = {
  active: 2,
  accepted: 3,
  countered: 4,
  expired: 5,
  canceled: 6,
  declined: 7,
  invalidItems: 8,
  needsConfirmation: 9,
  canceledBySecondFactor: 10,
  inEscrow: 11,
} as const;
export type OfferState = (typeof offerState)[keyof typeof offerState];

export const tradeStatus = {
  complete: 3,
  inEscrow: 10,
  escrowRollback: 11,
  protectionRollback: 12,
} as const;
export type TradeStatus = (typeof tradeStatus)[keyof typeof tradeStatus];

export type TradeOffer = {
  id: string;
  from: string;
  to: string;
  /** The sender's items, as they were when the offer was made. */
  give: SteamItem[];
  /** The items that the sender asks for. */
  receive: SteamItem[];
  message: string;
  state: OfferState;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  tradeId: string | null;
  escrowEndsAt: number;
  counters: string | null;
  /** It ended without a trade, and its sender has not visited the page of sent offers since. */
  isUnseenEnd?: boolean;
};

/** One item in a trade; the new ids are set on delivery. */
export type TradeMove = {
  from: string;
  to: string;
  item: SteamItem;
  newAssetid: string | null;
  newContextid: string | null;
};

export type Trade = {
  id: string;
  /** The offer's sender and receiver. */
  a: string;
  b: string;
  status: TradeStatus;
  startedAt: number;
  /** Time at which Trade Protection ends and the trade can no longer be reversed; 0 if it never could. */
  settlesAt: number;
  escrowEndsAt: number;
  /** The trade that this one reversed. */
  rollbackOf: string | null;
  moves: TradeMove[];
};

export type Confirmation = {
  id: string;
  nonce: string;
  offerId: string;
  owner: string;
  createdAt: number;
};

type ItemTag = {
  category: string;
  internal_name: string;
  localized_category_name: string;
  localized_tag_name: string;
  color?: string | undefined;
};

type ItemText = { type: string; value: string; color?: string | undefined };
type ItemAction = { link: string; name: string };

/** A kind of item, exactly as Steam's inventory describes it. */
export type ItemKind = {
  appid: number;
  classid: string;
  instanceid: string;
  currency: number;
  background_color: string;
  icon_url: string;
  icon_url_large?: string | undefined;
  descriptions: ItemText[];
  tradable: number;
  actions?: ItemAction[] | undefined;
  name: string;
  name_color: string;
  type: string;
  market_name: string;
  market_hash_name: string;
  market_actions?: ItemAction[] | undefined;
  commodity: number;
  market_tradable_restriction: number;
  marketable: number;
  tags: ItemTag[];
};

/** The requests that a fault can target; `any` matches all of them. */
export const faultTargets = [
  'any',
  'send',
  'accept',
  'decline',
  'cancel',
  'tradePage',
  'inventory',
  'confirmations',
  'confirm',
  'confirmTogether',
  'acknowledge',
  'getTradeOffers',
  'getTradeOffer',
  'getTradeStatus',
  'getTradeHistory',
  'getTradeHoldDurations',
  'getAssetClassInfo',
  'cmList',
  'logOn',
  'renewal',
] as const;
export type FaultTarget = (typeof faultTargets)[number];

/**
 * The effect of a fault. A result is Steam's refusal text with this number; words are a refusal without one. A body is
 * answered as it is, with status 200.
 */
export type FaultEffect =
  | { kind: 'status'; status: number; retryAfterSeconds?: number | undefined }
  | { kind: 'drop' }
  | { kind: 'result'; eresult: number }
  | { kind: 'words'; message: string }
  | { kind: 'body'; body: object };

export type Fault = {
  id: string;
  target: FaultTarget;
  /** After: the request takes effect and only the answer is lost. */
  when: 'before' | 'after';
  effect: FaultEffect;
  /** Limits the fault to one account's requests; null for everybody's. */
  steamId: string | null;
  remaining: number;
};

/** The whole state of the sandbox's Steam, as plain data that survives a restart. */
export type WorldState = {
  version: 1;
  people: SteamPerson[];
  kinds: ItemKind[];
  offers: TradeOffer[];
  trades: Trade[];
  confirmations: Confirmation[];
  faults: Fault[];
  dialect: Dialect;
  /** The shape of the pages of trade offers, where it is not the default. */
  tradeShape?: Partial<TradeShape>;
  /** The offers whose first sending was refused, by receiver and assets. */
  refusedFirst?: string[];
  tokenSecret: string;
  nextId: {
    account: number;
    asset: number;
    offer: number;
    trade: number;
    confirmation: number;
    fault: number;
  };
};

/** An empty world, with ids that look like Steam's. */
export function emptyState(): WorldState {
  return {
    version: 1,
    people: [],
    kinds: [],
    offers: [],
    trades: [],
    confirmations: [],
    faults: [],
    dialect: { ...plainDialect },
    tokenSecret: randomBytes(32).toString('hex'),
    nextId: {
      account: 1_000_001,
      asset: 45_000_000_001,
      offer: 7_000_000_001,
      trade: 800_000_000_000_001,
      confirmation: 9001,
      fault: 1,
    },
  };
}

/** A refusal as Steam words it; `eresult` is the number at its end. */
export type Refusal = { ok: false; eresult: number; message: string };
