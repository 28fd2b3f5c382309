/** The surroundings of a companion app. */
export interface Device {
  /** Sends what an app asks: with its cookies, with the XSRF-TOKEN of a change, or with its token. */
  fetch(request: Request): Promise<Response>;
  /** Once there is one, calls are made with it. */
  token: string | null;
}

/** The world around the app: what people do in browsers, on Twitch and on Steam. */
export interface Stage<D extends Device = Device> {
  origin: string;
  newDevice(): D;
  mailedToken(email: string): Promise<string>;
  /** Consents on Twitch, in this device's browser; returns the id of the account. */
  consentOnTwitch(device: D, url: string): Promise<string>;
  signInOnSteam(device: D): Promise<{ steamId: string; tradeLink: string }>;
  /** Opens /extension/code in this device's browser. */
  readAppCode(device: D): Promise<string>;
  /** Puts an item into somebody's inventory on Steam. */
  giveItem(steamId: string): void;
  acceptOffer(offerId: string | null, steamId: string): void;
  messageOf(offerId: string | null): string;
  countItems(steamId: string): number;
  /** Somebody has followed a channel for this long. */
  follow(channelId: string, twitchId: string, days: number): void;
  passDays(days: number): void;
  /** Asks as often as one app may call, until there is a value. */
  eventually<T>(ask: () => Promise<T>, what: string): Promise<NonNullable<T>>;
}

/** Exports of the app's program. */
export interface Program {
  playLoop(stage: Stage): Promise<void>;
}
