import type { Answered, Bot, OwnItem, OwnOffer, OwnOffers, Silence } from '../answers.ts';
import { type Asset, haveSameKeys } from './assets.ts';
import type { Reading, ShownOffer } from './read-offer.ts';

/** The facts of an offer that are compared. */
export const comparedFacts = ['sender', 'account', 'code', 'give', 'receive'] as const;
export type ComparedFact = (typeof comparedFacts)[number];

/** One comparison; `here` is what the page has, `ours` what the instance knows. */
export interface Fact {
  of: ComparedFact;
  agrees: boolean;
  here: string;
  ours: string;
}

/** Reasons why an offer cannot be checked. */
export type Doubt =
  | Silence
  /** The page has a form that is not known. */
  | 'shape'
  /** The page has not shown its items for a long time. */
  | 'filling'
  /** Another Steam account is signed in than the connected one. */
  | 'account'
  | 'noAccount'
  /** One of our bots sent it, and the instance does not name it. */
  | 'unnamed'
  /** The list does not name the items: the offer's own page does. */
  | 'openIt';

export type Verdict =
  | { is: 'reward' | 'return' | 'deposit'; offer: OwnOffer; facts: Fact[] }
  | { is: 'imitated'; offer: OwnOffer | null; facts: Fact[] }
  | { is: 'changed' }
  | { is: 'foreign'; facts: Fact[] }
  | { is: 'unknown'; why: Doubt }
  /** The page is not ready yet. */
  | { is: 'checking' }
  /** Nothing of ours, and nothing that claims to be. */
  | { is: 'none' };

const greens = { claim: 'reward', return: 'return', deposit: 'deposit' } as const;
const codeIn = /[A-Z2-9]{4}-[A-Z2-9]{4}/;
/** Anything that has the form of a code, whichever letters it is made of. */
const nearCodeIn = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{4}\s?\p{Pd}\s?[\p{L}\p{N}]{4}(?![\p{L}\p{N}])/gu;

/** Each Latin letter with the signs that look like it. */
const alike = new Map(
  'a4аαᴀ b6вьβʙ cсϲ dԁ e3еεᴇ hнһη jј kкκᴋ l1iіιı mм nпո o0оοσᴏ pрρᴘ qԛ s5ѕꜱ tтτᴛ uυ vν wԝω xхχ yуγ'
    .split(' ')
    .flatMap(([letter, ...signs]) => signs.map((sign) => [sign, letter])),
);

/**
 * Letters and digits alone, and each as the Latin letter that it looks like, so that a name with a dot, in other capitals or
 * with letters of another alphabet counts as the same.
 */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/./gu, (each) => alike.get(each) ?? each);

/** The code in a message, or else what most looks like one; empty if nothing does. */
function codeOf(note: string, { offers }: OwnOffers): string {
  const codes = offers.map(({ code }) => plain(code));
  const isMeant = (text: string) => {
    const found = plain(text);
    const isAlike = (code: string) => [...code].filter((each, place) => each === found[place]).length > 4;
    return /\p{N}|\p{Lu}{2}/u.test(text) || codes.some(isAlike);
  };
  return codeIn.exec(note)?.[0] ?? note.match(nearCodeIn)?.find(isMeant) ?? '';
}

/** Returns whether an offer that we did not send uses our name, that of a bot, or what may be taken for a code of ours. */
function claimsOurs({ partnerName, note }: ShownOffer, answer: OwnOffers): boolean {
  const names = answer.bots.flatMap((bot) => [bot.name, bot.profileName]).map(plain);
  const usesName = plain(partnerName) !== '' && names.includes(plain(partnerName));
  const usesCode = answer.offers.length > 0 && codeOf(note, answer) !== '';
  return usesName || usesCode || plain(`${partnerName} ${note}`).includes('keepsake');
}

function itemsFact(
  of: 'give' | 'receive',
  shown: readonly Asset[],
  ours: readonly OwnItem[],
  hasIds: boolean,
): Fact {
  const count = (items: readonly { amount: number | null }[]) =>
    String(items.reduce((sum, { amount }) => sum + (amount ?? 1), 0));
  const amounts = new Map(ours.map(({ key, amount }) => [key, amount]));
  const sameAmounts = shown.every(({ key, amount }) => amount === null || amounts.get(key) === amount);
  const same = haveSameKeys(
    shown.map(({ key }) => key),
    ours.map(({ key }) => key),
  );
  const agrees = hasIds ? same && sameAmounts : shown.length === ours.length;
  return { of, agrees, here: count(shown), ours: count(ours) };
}

function factsOf(shown: ShownOffer, own: OwnOffer, answer: OwnOffers): Fact[] {
  const [give, receive] = own.kind === 'deposit' ? [own.items, []] : [[], own.items];
  const code = codeOf(shown.note, answer);
  return [
    {
      of: 'sender',
      agrees: shown.partner === own.bot.steamId,
      here: shown.partner,
      ours: own.bot.steamId,
    },
    {
      of: 'account',
      agrees: shown.me === own.partnerSteamId,
      here: shown.me,
      ours: own.partnerSteamId,
    },
    { of: 'code', agrees: code === own.code, here: code, ours: own.code },
    itemsFact('give', shown.give, give, shown.hasIds),
    itemsFact('receive', shown.receive, receive, shown.hasIds),
  ];
}

/** An offer that the instance does not know, compared with the one that it pretends to be, if any. */
function judgeStranger(shown: ShownOffer, answer: OwnOffers): Verdict {
  if (answer.bots.some(({ steamId }) => steamId === shown.partner)) return { is: 'unknown', why: 'unnamed' };
  if (!claimsOurs(shown, answer)) return { is: 'none' };
  const code = codeOf(shown.note, answer);
  const isBot = ({ name, profileName }: Bot) =>
    [name, profileName].some((each) => plain(each) !== '' && plain(each) === plain(shown.partnerName));
  const posed = answer.bots.find(isBot);
  const copied = answer.offers.find((offer) => offer.code === code);
  if (copied) return { is: 'imitated', offer: copied, facts: factsOf(shown, copied, answer) };
  const facts: Fact[] = [
    { of: 'sender', agrees: false, here: shown.partner, ours: posed?.steamId ?? '' },
    { of: 'code', agrees: false, here: code, ours: '' },
    { of: 'give', agrees: shown.give.length === 0, here: String(shown.give.length), ours: '0' },
  ];
  return posed ? { is: 'imitated', offer: null, facts } : { is: 'foreign', facts };
}

/** Compares an offer that was read whole with what the instance says of it now. */
function judgeOffer(shown: ShownOffer, answer: OwnOffers): Verdict {
  const own = answer.offers.find(({ offerId }) => offerId === shown.offerId);
  const otherAccount = answer.steamId === null ? 'noAccount' : 'account';
  if (!own) {
    const verdict = judgeStranger(shown, answer);
    // Offers of our bots to another account cannot be compared with those to the connected one.
    const isOtherAccount = verdict.is === 'unknown' && answer.steamId !== shown.me;
    return isOtherAccount ? { is: 'unknown', why: otherAccount } : verdict;
  }
  const facts = factsOf(shown, own, answer);
  const differ = facts.filter(({ agrees }) => !agrees);
  if (differ.some(({ of }) => of !== 'account')) return { is: 'imitated', offer: own, facts };
  if (differ.length > 0 || answer.steamId !== shown.me) return { is: 'unknown', why: otherAccount };
  if (!shown.hasIds) return { is: 'unknown', why: 'openIt' };
  const isUncounted = own.items.some(({ amount }) => amount !== 1);
  if (isUncounted && [...shown.give, ...shown.receive].some(({ amount }) => amount === null))
    return { is: 'unknown', why: 'openIt' };
  return { is: greens[own.kind], offer: own, facts };
}

/**
 * Says what an offer is, by what its page shows and what the instance answers now. Only an offer that was read whole, and
 * of which everything agrees, is called ours.
 */
export function judge(reading: Reading, answer: Answered<OwnOffers>): Verdict {
  if (reading.is === 'over') return { is: 'none' };
  if (reading.is === 'odd') return { is: 'unknown', why: 'shape' };
  if (!answer.ok) return { is: 'unknown', why: answer.why };
  const verdict = judgeOffer(reading.offer, answer.value);
  if (reading.is === 'whole') return verdict;
  if (reading.is === 'changed') return verdict.is === 'none' ? verdict : { is: 'changed' };
  // An offer that is wrong by the page's script alone stays wrong, however the slots are filled.
  return verdict.is === 'imitated' || verdict.is === 'foreign' ? verdict : { is: 'checking' };
}
