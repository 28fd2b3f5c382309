import { randomBytes } from 'node:crypto';
import type { SteamLogin, SteamPerson, WorldState } from './state.ts';

/** A person's SteamID64 is this base plus their account id. */
export const steamIdBase = 76_561_197_960_265_728n;

export type NewPerson = {
  name: string;
  accountId?: number | undefined;
  tradeToken?: string | undefined;
  login?: SteamLogin | null | undefined;
  protectionAcknowledged?: boolean | undefined;
};

/** Adds a person, or with a login a bot; a bot still has to acknowledge Trade Protection. */
export function addPerson(state: WorldState, person: NewPerson): SteamPerson {
  const accountId = person.accountId ?? state.nextId.account;
  state.nextId.account = Math.max(state.nextId.account, accountId + 1);
  const added: SteamPerson = {
    steamId: String(steamIdBase + BigInt(accountId)),
    accountId,
    name: person.name,
    tradeToken: person.tradeToken ?? newTradeToken(),
    login: person.login ?? null,
    privateInventory: false,
    escrowDays: 0,
    tradeBannedUntil: 0,
    protectionAcknowledged: person.protectionAcknowledged ?? !person.login,
    accessTokenEpoch: 0,
    refreshTokenEpoch: 0,
    items: [],
  };
  state.people.push(added);
  return added;
}

export function personOf(state: WorldState, steamId: string): SteamPerson {
  const person = state.people.find((candidate) => candidate.steamId === steamId);
  if (person === undefined) throw new Error(`Nobody in the sandbox's Steam has the id ${steamId}.`);
  return person;
}

/** Eight URL-safe characters, as in every trade URL. */
export function newTradeToken() {
  return randomBytes(6).toString('base64url');
}
