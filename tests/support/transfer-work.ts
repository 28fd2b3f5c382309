import { createLog } from '#bot/log.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { inTurn } from '#bot/steam/transfers/in-turn.ts';
import { OwnInventory } from '#bot/steam/transfers/own-inventory.ts';
import { Patience } from '#bot/steam/transfers/patience.ts';
import type { TransferWork } from '#bot/steam/transfers/transfer-work.ts';
import type { Database } from '#db/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';
import { hurriedPace } from '#tests/support/steam-stage.ts';

/** The address of the operator. */
export const OPERATOR_EMAIL = 'operator@example.org';

/**
 * The dependencies of one bot's workers, with a Steam account that gives the test's answers. `time.nowMs` is
 * the domain's clock.
 */
export function makeTransferWork(db: Database, botId: string, verbs: Partial<SteamAccount>) {
  const time = { nowMs: START_MS };
  const account = { botId, steamId: '76561198000000009', clockAheadMs: 0, ...verbs } as SteamAccount;
  const work = {
    deps: {
      db,
      config: { operatorEmail: OPERATOR_EMAIL },
      clock: { now: () => time.nowMs, stop: () => {} },
      log: createLog('silent'),
      lease: heldLease(db),
    },
    botId,
    holder: 'test',
    instanceTag: 'TESTED',
    pace: hurriedPace.transfers,
    account: () => account,
    pollEvery: () => {},
    inventory: new OwnInventory(async () => false),
    patience: new Patience(),
    readStanding: async () => ({}),
    delivery: { isUnderWay: false, sendingId: null },
    resending: new Set(),
    bookArrival: inTurn(),
    nudge: () => {},
    reconcileSoon: () => {},
  } as unknown as TransferWork;
  return { work, time };
}
