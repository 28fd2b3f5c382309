import { randomBytes } from 'node:crypto';

/** An item in somebody's inventory, in the words of Steam's inventory endpoint. Times are Unix seconds. */
export type SteamItem = {
  appid: number;
  contextid: string;
  assetid: string;
  classid: string;
  instanceid: string;
  amount: string;
  /** End of Trade Protection; 0 when the item is free to move. */
  protectedUntil: number;
};

/** The account names, passwords and device secrets of an account that a program logs in to. */
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
  /** Set for bots only: people are played from the control panel and never log in. */
  login: SteamLogin | null;
  privateInventory: boolean;
  /** Days that Steam holds what this person gives away; 0 means a mobile authenticator is in use. */
  escrowDays: number;
  tradeBannedUntil: number;
  /** Steam lets an account send offers only after its Trade Protection notice was acknowledged. */
  protectionAcknowledged: boolean;
  /** Raising these makes every token issued before worthless. */
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
  /** What the sender gives, as it was when the offer was made. */
  give: SteamItem[];
  /** What the sender asks for. */
  receive: SteamItem[];
  message: string;
  state: OfferState;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  tradeId: string | null;
  escrowEndsAt: number;
  counters: string | null;
};

/** One item's way through a trade; the new ids are known once it has arrived. */
export type TradeMove = {
  from: string;
  to: string;
  item: SteamItem;
  newAssetid: string | null;
  newContextid: string | null;
};

export type Trade = {
  id: string;
  /** The sender of the offer and its receiver. */
  a: string;
  b: string;
  status: TradeStatus;
  startedAt: number;
  /** When Trade Protection ends and the trade can no longer be reversed; 0 when it never could. */
  settlesAt: number;
  escrowEndsAt: number;
  /** The trade that this one undid. */
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

/** The requests that trouble can be attached to; `any` stands for each of them. */
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
  'acknowledge',
  'getTradeOffers',
  'getTradeOffer',
  'getTradeStatus',
  'getTradeHistory',
  'getTradeHoldDurations',
  'getAssetClassInfo',
  'cmList',
] as const;
export type FaultTarget = (typeof faultTargets)[number];

/** What goes wrong. A result is Steam's own refusal text that ends in its number. */
export type FaultEffect =
  | { kind: 'status'; status: number; retryAfterSeconds?: number | undefined }
  | { kind: 'drop' }
  | { kind: 'result'; eresult: number };

export type Fault = {
  id: string;
  target: FaultTarget;
  /** After: the request has its effect and only the answer is lost. */
  when: 'before' | 'after';
  effect: FaultEffect;
  /** Limits the trouble to requests of this account; null means anybody's. */
  steamId: string | null;
  remaining: number;
};

/** Everything the sandbox's Steam knows; plain data, so that a restart goes on where it was. */
export type WorldState = {
  version: 1;
  people: SteamPerson[];
  kinds: ItemKind[];
  offers: TradeOffer[];
  trades: Trade[];
  confirmations: Confirmation[];
  faults: Fault[];
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

/** A world with nobody in it; the ids look like Steam's. */
export function emptyState(): WorldState {
  return {
    version: 1,
    people: [],
    kinds: [],
    offers: [],
    trades: [],
    confirmations: [],
    faults: [],
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

/** A refusal in Steam's own words; eresult is the number those words end in. */
export type Refusal = { ok: false; eresult: number; message: string };
