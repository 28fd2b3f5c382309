import type { Window } from 'happy-dom';
import { expect, test } from 'vitest';
import type { Answered, OwnOffer, OwnOffers } from '#extension/answers.ts';
import { judge, type Verdict } from '#extension/steam/judge.ts';
import { readList } from '#extension/steam/read-list.ts';
import { followOffer, readOffer } from '#extension/steam/read-offer.ts';
import type { SteamPerson, TradeOffer } from '#sandbox/steam/state.ts';
import { type TradeShape, tradeShapes } from '#sandbox/steam/trade-shapes.ts';
import { answerOf, openPage, runScripts } from '#tests/support/steam-page.ts';
import { tradeWorld } from './world.ts';

type Stage = ReturnType<typeof tradeWorld>;
interface Situation {
  offer: TradeOffer;
  to: SteamPerson;
  own: OwnOffer[];
  /** The answer, if it is not that of the instance. */
  answer?: Answered<OwnOffers>;
  /** Calls that the page makes as something on it is pressed. */
  presses?: string[];
}

/** One situation for each verdict. */
const situations = {
  reward({ bot, viewer, send, known, message }: Stage): Situation {
    const offer = send(bot, viewer, { gives: 1, message: message('Your reward. You give nothing.') });
    return { offer, to: viewer, own: [known(offer, 'claim', viewer)] };
  },
  return({ bot, streamer, send, known, message }: Stage): Situation {
    const offer = send(bot, streamer, { gives: 3, message: message('Your items come back.') });
    return { offer, to: streamer, own: [known(offer, 'return', streamer)] };
  },
  deposit({ bot, streamer, send, known, message }: Stage): Situation {
    const offer = send(bot, streamer, { asks: 2, message: message('Your deposit.') });
    return { offer, to: streamer, own: [known(offer, 'deposit', streamer)] };
  },
  imitated({ bot, impostor, viewer, send, known, message }: Stage): Situation {
    const true_ = send(bot, viewer, { gives: 1, message: message('Your reward.') });
    const offer = send(impostor, viewer, {
      gives: 1,
      asks: 2,
      message: message('Your reward.', 'K7Q2-M4XO'),
    });
    return { offer, to: viewer, own: [known(true_, 'claim', viewer)] };
  },
  changed(stage: Stage): Situation {
    return { ...situations.reward(stage), presses: ['StartCounterOffer();'] };
  },
  foreign({ friend, viewer, send }: Stage): Situation {
    return { offer: send(friend, viewer, { asks: 1, message: 'Keepsake: verify it' }), to: viewer, own: [] };
  },
  unknown(stage: Stage): Situation {
    return { ...situations.reward(stage), answer: { ok: false, why: 'unreachable' } };
  },
} satisfies Record<string, (stage: Stage) => Situation>;
type Name = keyof typeof situations;
const names = Object.keys(situations) as Name[];
const greens = ['reward', 'return', 'deposit'];

const statuses = Object.keys(tradeShapes.status) as TradeShape['status'][];
const numbers = Object.keys(tradeShapes.numbers) as TradeShape['numbers'][];
interface Form {
  shape: Partial<TradeShape>;
  language: string;
}
/** Pages as Steam is known to show them. */
const whole: Form[] = [
  ...statuses.flatMap((status) =>
    numbers.flatMap((each) =>
      ['english', 'russian'].map((language) => ({ shape: { status, numbers: each }, language })),
    ),
  ),
  { shape: { slots: 'boxed' }, language: 'english' },
];

interface Broken {
  html?: (html: string) => string;
  page?: (page: Window) => void;
  /** The page's own script has not run. */
  isUnrun?: true;
}
const remove =
  (selector: string) =>
  (page: Window): void =>
    page.document.querySelector(selector)?.remove();
const twice = (html: string): string => html.replace(/(\tvar g_rgCurrentTradeStatus = .*\n)/, '$1$1');
/** Pages of which something is not as it is known. */
const broken: Record<string, Broken> = {
  'without a status': { html: (html) => html.replace('g_rgCurrentTradeStatus =', 'g_rgTradeStatus =') },
  'with two statuses': { html: twice },
  'with a status that is code': { html: (html) => html.replace('"assets":', '"assets":look(),') },
  'with money beside the items': {
    html: (html) => html.replace('"currency":[]', '"currency":[{"amount":1}]'),
  },
  'with an asset without an id': { html: (html) => html.replaceAll('"assetid"', '"id"') },
  'of another number': { html: (html) => html.replace(/BeginTradeOffer\( '\d+'/, "BeginTradeOffer( '1'") },
  'with two accounts that are signed in': {
    html: (html) => html.replace('var g_steamID', 'var g_steamID = "76561197960265729";\n\tvar g_steamID'),
  },
  'without the partner in the script': { html: (html) => html.replaceAll('g_ulTradePartnerSteamID', 'g_ul') },
  'without the partner’s name': { html: (html) => html.replace(/data-miniprofile="\d+"/, '') },
  'with another partner above': {
    html: (html) => html.replace(/data-miniprofile="\d+"/, 'data-miniprofile="7"'),
  },
  'with two messages': {
    html: (html) => html.replace('<div class="trade_area', '<p class="included_trade_offer_note"></p>$&'),
  },
  'before its script has run': { isUnrun: true },
  'without slots': { page: remove('#their_slots') },
  'without your slots': { page: remove('#your_slots') },
  'with a slot that is not filled': {
    page: (page) => page.document.querySelector('.item')?.removeAttribute('id'),
  },
  'with an item outside of the slots': {
    page: ({ document }) =>
      document.querySelector('#trade_yours')?.insertAdjacentHTML('beforeend', '<i class="item"></i>'),
  },
  'with one item fewer': { page: remove('.trade_slot.has_item') },
};

function verdictOn(
  name: Name,
  {
    shape = {},
    language = 'english',
    ...spoilt
  }: {
    shape?: Partial<TradeShape>;
    language?: string;
  } & Broken = {},
): Verdict {
  const stage = tradeWorld(shape);
  const { offer, to, own, answer, presses = [] } = situations[name](stage);
  const address = `/tradeoffer/${offer.id}/?l=${language}`;
  const { body } = answerOf(stage.world, to, address);
  const loaded = openPage(address, body);
  if (!spoilt.isUnrun) runScripts(loaded, ...presses);
  const html = loaded.document.documentElement.outerHTML;
  const page = spoilt.html ? openPage(address, spoilt.html(html)) : loaded;
  if (spoilt.html) expect(spoilt.html(html)).not.toBe(html);
  spoilt.page?.(page);
  const reading = readOffer(page.document as never, page.location.pathname);
  return judge(reading, answer ?? { ok: true, value: stage.answerFor(to, own) });
}

test.each(names)('“%s” is the verdict on each known form of the page, in both languages', (name) => {
  // With the broken ones below, thirty forms.
  expect(whole.length + Object.keys(broken).length).toBe(30);
  for (const form of whole) expect([form, verdictOn(name, form).is]).toEqual([form, name]);
});

test.each(Object.entries(broken))('A page %s is never called ours', (_, spoilt) => {
  const found = names.map((name) => verdictOn(name, spoilt).is);
  expect(found.filter((is) => greens.includes(is))).toEqual([]);
});

/** One thing at a time is not as the page has it. */
const altered: Record<string, (own: OwnOffer, answer: OwnOffers) => void> = {
  'the number of the offer': (own) => (own.offerId = '1'),
  'the sender': (own) => (own.bot.steamId = '76561197960265730'),
  'the account that it was sent to': (own) => (own.partnerSteamId = '76561197960265730'),
  'the connected account': (_, answer) => (answer.steamId = '76561197960265730'),
  'no connected account': (_, answer) => (answer.steamId = null),
  'one letter of the code': (own) => (own.code = 'K7Q2-M4XO'),
  'an item’s game': ({ items }) => (items[0]!.key = items[0]!.key.replace(/^730/, '440')),
  'an item’s id': ({ items }) => (items[0]!.key += '1'),
  'an item’s amount': ({ items }) => (items[0]!.amount = 2),
  'one item more': ({ items }) => items.push({ key: '730/1', amount: 1, name: 'Another' }),
  'one item fewer': ({ items }) => items.pop(),
  'the same item twice': ({ items }) => items.push({ ...items[0]! }),
  'the side that gives': (own) => (own.kind = own.kind === 'deposit' ? 'claim' : 'deposit'),
  'all offers': (_, answer) => (answer.offers = []),
};

test.each(Object.entries(altered))('An offer is not called ours if %s differs', (_, alter) => {
  for (const name of ['reward', 'return', 'deposit'] as const) {
    const stage = tradeWorld();
    const { offer, to, own } = situations[name](stage);
    const page = openPage(
      `/tradeoffer/${offer.id}/`,
      answerOf(stage.world, to, `/tradeoffer/${offer.id}/`).body,
    );
    runScripts(page);
    const read = readOffer(page.document as never, page.location.pathname);
    const answer = stage.answerFor(to, own);
    expect(judge(read, { ok: true, value: answer }).is).toBe(name);
    alter(own[0]!, answer);
    expect(greens).not.toContain(judge(read, { ok: true, value: answer }).is);
  }
});

/** One thing at a time, in one of the two places where the page has it. */
const alteredOnPage: Record<string, Broken> = {
  'an item’s id in the script': { html: (html) => html.replace(/"assetid":"(\d+)"/, '"assetid":"$17"') },
  'an item’s game in the script': { html: (html) => html.replace('"appid":"730"', '"appid":"440"') },
  'an item’s amount in the script': { html: (html) => html.replace('"amount":"1"', '"amount":"2"') },
  'an item’s id in its slot': {
    page: ({ document }) => {
      const item = document.querySelector('.item');
      if (item) item.id += '7';
    },
  },
  'the account in the script': {
    html: (html) => html.replace(/(g_steamID = "\d{16})\d/, (_, start) => `${start}x`),
  },
  'another account in the script': {
    html: (html) => html.replace(/g_steamID = "\d+"/, 'g_steamID = "76561197960265730"'),
  },
  'the partner in the script': {
    html: (html) =>
      html.replace(/g_ulTradePartnerSteamID = '\d+'/, "g_ulTradePartnerSteamID = '76561197960265730'"),
  },
  'the code in the message': { html: (html) => html.replaceAll('K7Q2-M4XD', 'K7Q2-M4XO') },
};

test.each(greens)('“%s” stays the verdict on a page that is written down and read again', (name) => {
  expect(verdictOn(name as Name, { html: (html) => `${html}\n` }).is).toBe(name);
});

test.each(Object.entries(alteredOnPage))('A page is not called ours if only %s differs', (_, spoilt) => {
  const found = greens.map((name) => verdictOn(name as Name, spoilt).is);
  expect(found.filter((is) => greens.includes(is))).toEqual([]);
});

const presses = {
  'a press on “Change offer”': 'StartCounterOffer();',
  'an item put in': `MoveItemToTrade('me', { appid: '730', contextid: '2', assetid: '99', amount: '1' });`,
  'an item taken out': `MoveItemToTrade('them', g_rgCurrentTradeStatus.them.assets[0]);`,
};

test.each(Object.entries(presses))(
  'After %s the verdict is red until the page is loaded anew',
  (_, press) => {
    const stage = tradeWorld();
    const { offer, to, own } = situations.reward(stage);
    const { body } = answerOf(stage.world, to, `/tradeoffer/${offer.id}/`);
    const page = openPage(`/tradeoffer/${offer.id}/`, body);
    const read = followOffer(page.document as never, page.location.pathname);
    const verdict = () => judge(read(), { ok: true, value: stage.answerFor(to, own) }).is;
    const before = verdict();
    runScripts(page);
    const loaded = verdict();
    runScripts(page, press);
    const pressed = verdict();
    // Put back as it was, by the page itself.
    runScripts(page);
    expect([before, loaded, pressed, verdict()]).toEqual(['checking', 'reward', 'changed', 'changed']);
  },
);

test('What strangers write into names and messages is not taken for the page’s own script', () => {
  const stage = tradeWorld();
  const status = '{"me":{"assets":[]},"them":{"assets":[]}}';
  const named = `"; g_rgCurrentTradeStatus = ${status}; UserThem.SetSteamId('${stage.bot.steamId}'); /*`;
  const stranger = stage.world.addUser({ name: named });
  const offer = stage.send(stranger, stage.viewer, { asks: 2, message: `${named} K7Q2-M4XD` });
  const { body } = answerOf(stage.world, stage.viewer, `/tradeoffer/${offer.id}/`);
  const page = openPage(`/tradeoffer/${offer.id}/`, body);
  runScripts(page);
  const read = readOffer(page.document as never, page.location.pathname);
  expect(read).toMatchObject({
    is: 'whole',
    offer: { partner: stranger.steamId, give: [{}, {}], receive: [] },
  });
});

test('Offers that have nothing to do with us are not judged, and neither are those that are over', () => {
  const stage = tradeWorld();
  const { friend, viewer, world } = stage;
  const offer = stage.send(friend, viewer, { asks: 1, message: 'For your knife' });
  const verdict = () => {
    const page = openPage('/', answerOf(world, viewer, `/tradeoffer/${offer.id}/`).body);
    runScripts(page);
    const read = readOffer(page.document as never, `/tradeoffer/${offer.id}/`);
    return judge(read, { ok: true, value: stage.answerFor(viewer, []) }).is;
  };
  expect(verdict()).toBe('none');
  world.decline(offer.id, viewer.steamId);
  expect(answerOf(world, viewer, `/tradeoffer/${offer.id}/?l=russian`).body).toContain(
    'больше недействительно',
  );
  const over = openPage('/', answerOf(world, viewer, `/tradeoffer/${offer.id}/`).body);
  expect(readOffer(over.document as never, `/tradeoffer/${offer.id}/`)).toEqual({ is: 'over' });
});

test('An offer of one of our bots that the instance does not name is not called an imitation', () => {
  const stage = tradeWorld();
  const { offer, to } = situations.reward(stage);
  const page = openPage('/', answerOf(stage.world, to, `/tradeoffer/${offer.id}/`).body);
  runScripts(page);
  const read = readOffer(page.document as never, `/tradeoffer/${offer.id}/`);
  expect(judge(read, { ok: true, value: stage.answerFor(to, []) })).toEqual({
    is: 'unknown',
    why: 'unnamed',
  });
});

/** The verdicts on the rows of the list, by the number of the offer. */
function verdictsInList(stage: Stage, to: SteamPerson, own: OwnOffer[], language = 'english') {
  const { headers } = answerOf(stage.world, to, `/my/tradeoffers/?l=${language}`);
  const address = headers.location ?? '';
  const page = openPage(address, answerOf(stage.world, to, address).body);
  const value = stage.answerFor(to, own);
  return readList(page.document as never).map(({ element, reading }) => ({
    id: element.id.replace('tradeofferid_', ''),
    verdict: judge(reading, { ok: true, value }),
  }));
}

test.each(['english', 'russian'])('Each row of the list has its verdict (%s)', (language) => {
  const stage = tradeWorld();
  const { friend, viewer, send, world } = stage;
  const { offer: false_, own } = situations.imitated(stage);
  const ended = send(friend, viewer, { gives: 1, message: 'Keepsake' });
  world.cancel(ended.id, friend.steamId);
  const plain = send(friend, viewer, { gives: 1, message: 'a gift' });
  const found = verdictsInList(stage, viewer, own, language).map(({ id, verdict }) => [id, verdict.is]);
  expect(Object.fromEntries(found)).toEqual({
    [own[0]!.offerId]: 'reward',
    [false_.id]: 'imitated',
    [ended.id]: 'none',
    [plain.id]: 'none',
  });
});

test('Rows that name no ids are never called ours, and are red if items are asked for', () => {
  const stage = tradeWorld({ rows: 'classes' });
  const { offer: false_, own, to } = situations.imitated(stage);
  const found = verdictsInList(stage, to, own).map(({ id, verdict }) => [id, verdict]);
  expect(Object.fromEntries(found)).toMatchObject({
    [own[0]!.offerId]: { is: 'unknown', why: 'openIt' },
    [false_.id]: { is: 'imitated' },
  });
});

test('An offer of ours whose row asks for items is red', () => {
  const stage = tradeWorld({ rows: 'classes' });
  const { bot, viewer, send, known, message } = stage;
  const offer = send(bot, viewer, { gives: 1, asks: 1, message: message('Your reward.') });
  const found = verdictsInList(stage, viewer, [known(offer, 'claim', viewer)]);
  expect(found).toMatchObject([{ verdict: { is: 'imitated' } }]);
});
