// One of several processes that hear of the same redemptions at the same time. Prints `ready`, waits for a line, works.
import { once } from 'node:events';
import { openDatabase } from '#db/database.ts';
import { leaseRedemptions } from '#domain/redemption/lease-redemptions.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';

const [file = '', twitchRewardId = '', nowMs = '0', ...viewers] = process.argv.slice(2);
const database = await openDatabase({ databaseUrl: process.env.DATABASE_URL, file });
console.log('ready');
await once(process.stdin, 'data');
const told = { twitchRewardId, redeemedAtMs: Number(nowMs), status: 'UNFULFILLED' } as const;
let first = 0;
for (const twitchId of viewers) {
  const id = `redemption-of-${twitchId}`;
  const recorded = await recordRedemption(database, { ...told, id, twitchId }, Number(nowMs));
  if (recorded.ok && recorded.first) first++;
}
let leased = 0;
for (let taken = 1; taken > 0; leased += taken)
  taken = (await leaseRedemptions(database, 7, Date.now())).length;
await database.close();
console.log(JSON.stringify({ first, leased }));
process.exit(0);
