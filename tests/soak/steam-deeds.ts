import type { Actor } from './actor.ts';
import type { ShownOffer, ShownTrade } from './panel.ts';
import type { Person } from './people.ts';
import type { Stage } from './stage.ts';

const ACTIVE = 2;
const COMPLETE = 3;
const MAX_ASKED = 8;

/** Our bots' open offers. */
export async function waitingOffers({ panel, tradeBots }: Stage): Promise<ShownOffer[]> {
  const lists = await Promise.all(
    tradeBots.map((id) => panel.get<{ offers: ShownOffer[] }>(`/steam/users/${id}/offers.json`)),
  );
  return lists.flatMap(({ offers }, n) =>
    offers.filter(({ from, state }) => from === tradeBots[n] && state === ACTIVE),
  );
}

export const accept = ({ panel }: Stage, { id, to }: ShownOffer) =>
  panel.act(`/steam/users/${to}/offers/${id}/accept`);

/** People's answers to our bots' offers: most accept, some do not, some send a counter offer. */
export function offerAnswers(stage: Stage): Actor {
  const { panel, tally } = stage;
  const chance = stage.chanceOf('offers');
  return {
    name: 'offers',
    pauseMs: () => chance.between(300, 900),
    async act() {
      const offer = chance.pick(await waitingOffers(stage));
      if (!offer) return;
      const answer = chance.among({ accept: 16, decline: 3, counter: 1, later: 5 });
      const at = `/steam/users/${offer.to}/offers/${offer.id}`;
      if (answer === 'accept') await accept(stage, offer);
      if (answer === 'decline') await panel.act(`${at}/decline`);
      // Asks for more than was offered, which no bot may grant.
      if (answer === 'counter')
        await panel.act(`${at}/counter`, { give: [], receive: offer.give.map(({ key }) => key) });
      tally.note(`offer: ${answer}`);
    },
  };
}

/** People who reverse trades, and people who trade without a phone for a while, so that Steam holds their items. */
export function steamWhims(stage: Stage): Actor {
  const { panel, tally, viewers, streamers } = stage;
  const chance = stage.chanceOf('whims');

  async function freshTradeOf(person: Person | undefined): Promise<ShownTrade | undefined> {
    const { trades } = await panel.get<{ trades: ShownTrade[] }>(
      `/steam/users/${person?.steamId}/trades.json`,
    );
    const fresh = trades.filter(
      ({ status, settlesAt, rollbackOf }) =>
        status === COMPLETE && !rollbackOf && settlesAt * 1000 > panel.nowMs(),
    );
    return chance.pick(fresh);
  }

  /** Most people have no trade that can be reversed, so several are asked; seldom streamers, who deposit much. */
  async function reverse(): Promise<void> {
    const people = chance.is(0.7) ? viewers : streamers;
    let trade: ShownTrade | undefined;
    for (let asked = 0; !trade && asked < MAX_ASKED; asked++) trade = await freshTradeOf(chance.pick(people));
    if (!trade) return;
    const done = await panel.act(`/steam/trades/${trade.id}/reverse`);
    tally.note(done ? 'reverse' : 'reverse: refused by Steam');
  }

  async function holdTrades(): Promise<void> {
    const days = chance.is(0.4) ? 1 : 0;
    await panel.act(`/steam/users/${chance.pick(streamers)?.steamId}/escrow`, { days });
    tally.note(`escrow: ${days}`);
  }

  return {
    name: 'whims',
    pauseMs: () => chance.between(2000, 6000),
    // Seldom enough that most trades stand: a deposit may be reversed before the bot sees what it brought.
    act: () => (chance.is(0.2) ? reverse() : holdTrades()),
  };
}
