import { getConfirmationKey } from 'steam-totp';
import { type Answer, type Endpoint, type Fields, json, type SteamRequest } from './http.ts';
import type { Confirmation, SteamPerson, TradeOffer } from './state.ts';
import { describeItem } from './views.ts';
import type { SteamWorld } from './world.ts';

const tradeConfirmation = 2;
/** A signature's time may differ from Steam's by this much. */
const keyLifeSeconds = 60;

/** The part of steamcommunity.com that Steam's mobile app uses. */
export const mobileConfirmationEndpoints: Endpoint[] = [
  { method: 'GET', path: /^\/mobileconf\/getlist$/, target: 'confirmations', answer: signedOnly(list) },
  { method: 'GET', path: /^\/mobileconf\/ajaxop$/, target: 'confirm', answer: signedOnly(answerOne) },
  {
    method: 'POST',
    path: /^\/mobileconf\/multiajaxop$/,
    target: 'confirmTogether',
    answer: signedOnly(answerMany),
  },
];

type Handler = (world: SteamWorld, fields: Fields, person: SteamPerson) => Answer;

/** Accepts only requests signed with the account's identity secret, as Steam does. */
function signedOnly(handle: Handler): Endpoint['answer'] {
  return (world, request: SteamRequest) => {
    const { person } = request;
    const fields = { ...request.query, ...request.form };
    if (person === null || fields.a !== person.steamId) return json({ success: false, needauth: true });
    if (!isSigned(world, person, fields)) {
      return json({
        success: false,
        message: 'Invalid authenticator',
        detail:
          'It looks like your Steam Guard Mobile Authenticator is providing incorrect Steam Guard codes.',
      });
    }
    return handle(world, fields, person);
  };
}

function isSigned(world: SteamWorld, person: SteamPerson, { k = '', t = '', tag = '' }: Fields) {
  const time = Number(t);
  if (person.login === null || !(Math.abs(time - world.systemSeconds()) < keyLifeSeconds)) return false;
  return getConfirmationKey(person.login.identitySecret, time, tag) === k;
}

function list(world: SteamWorld, _fields: Fields, person: SteamPerson) {
  return json({
    success: true,
    conf: world.confirmationsOf(person.steamId).map((entry) => show(world, entry)),
  });
}

function show(world: SteamWorld, entry: Confirmation) {
  const offer = world.offer(entry.offerId);
  const partner = offer && world.userBySteamId(offer.from === entry.owner ? offer.to : offer.from);
  return {
    type: tradeConfirmation,
    type_name: 'Trade Offer',
    id: entry.id,
    creator_id: entry.offerId,
    nonce: entry.nonce,
    creation_time: entry.createdAt,
    cancel: 'Cancel',
    accept: 'Send Offer',
    icon: '',
    multi: true,
    headline: partner?.name ?? '',
    summary: offer === null ? [] : summaryOf(world, offer, entry.owner),
    warn: null,
  };
}

function summaryOf(world: SteamWorld, offer: TradeOffer, owner: string) {
  const [give, receive] = offer.from === owner ? [offer.give, offer.receive] : [offer.receive, offer.give];
  const names = (items: TradeOffer['give']) =>
    items.length === 0 ? 'nothing' : items.map((item) => describeItem(world.state, item).name).join(', ');
  return [`You will give up your ${names(give)}`, `You will receive ${names(receive)}`];
}

function answerOne(world: SteamWorld, fields: Fields, person: SteamPerson) {
  return json({ success: answer(world, person, fields.op, fields.cid, fields.ck) });
}

function answerMany(world: SteamWorld, fields: Fields, person: SteamPerson) {
  if (world.state.dialect.confirmations === 'single') return json({ success: false });
  const ids = Object.entries(fields).filter(([name]) => /^cid\[\d*\]$/.test(name));
  const results = ids.map(([name, id]) =>
    answer(world, person, fields.op, id, fields[name.replace('cid', 'ck')]),
  );
  return json({ success: results.length > 0 && results.every(Boolean) });
}

function answer(
  world: SteamWorld,
  person: SteamPerson,
  op: string | undefined,
  id: string | undefined,
  nonce: string | undefined,
) {
  const entry = world
    .confirmationsOf(person.steamId)
    .find((candidate) => candidate.id === id && candidate.nonce === nonce);
  if (entry === undefined || (op !== 'allow' && op !== 'cancel')) return false;
  return world.confirm(entry.offerId, person.steamId, op === 'allow').ok;
}
