import { browser } from './browser.ts';
import { type Place, places } from './places.ts';

/** The sign-in: nothing that an instance says about offers is ever saved. */
export interface SignIn {
  instance: string;
  token: string;
  name: string;
}

const keys = ['instance', 'token', 'name'];

/** Returns how the extension is signed in; null if it is not. */
export async function savedSignIn(): Promise<SignIn | null> {
  const { instance, token, name } = await browser().storage.local.get(keys);
  if (typeof instance !== 'string' || typeof token !== 'string') return null;
  return { instance, token, name: typeof name === 'string' ? name : '' };
}

export const saveSignIn = ({ instance, token, name }: SignIn): Promise<void> =>
  browser().storage.local.set({ instance, token, name, typed: instance });

/** Forgets the token, and keeps the address for the next time. */
export const forgetSignIn = (): Promise<void> => browser().storage.local.remove(['token', 'name']);

export async function savedInstance(): Promise<string> {
  const { instance } = await browser().storage.local.get(['instance']);
  return typeof instance === 'string' ? instance : '';
}

/** Keeps what is typed as the address, apart from the address that the token belongs to. */
export const saveTyped = (typed: string): Promise<void> => browser().storage.local.set({ typed });

export async function savedTyped(): Promise<string> {
  const { typed } = await browser().storage.local.get(['typed']);
  return typeof typed === 'string' ? typed : savedInstance();
}

/** The places that the user has turned on, whether they are still allowed or not. */
export async function wantedPlaces(): Promise<Place[]> {
  const { wanted } = await browser().storage.local.get(['wanted']);
  return Array.isArray(wanted) ? places.filter((place) => wanted.includes(place)) : [];
}

/** When the rewards that are ready were last counted, by the wall clock. */
export async function savedCountedAt(): Promise<number> {
  const { countedAt } = await browser().storage.local.get(['countedAt']);
  return typeof countedAt === 'number' ? countedAt : 0;
}

export const saveCountedAt = (countedAt: number): Promise<void> => browser().storage.local.set({ countedAt });

export async function wantPlace(place: Place, isWanted: boolean): Promise<void> {
  const others = (await wantedPlaces()).filter((each) => each !== place);
  await browser().storage.local.set({ wanted: isWanted ? [...others, place] : others });
}
