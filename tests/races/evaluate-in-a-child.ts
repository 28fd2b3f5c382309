// One of several processes that evaluate the same viewers at the same time. Prints `ready`, waits for a line, works.
import { once } from 'node:events';
import { openDatabase } from '#db/database.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';
import { openWithoutLocks } from '#tests/races/without-locks.ts';

const [file = '', guard = '', nowMs = '0', ...viewers] = process.argv.slice(2);
const store = { databaseUrl: process.env.DATABASE_URL, file };
const database = guard === 'guarded' ? await openDatabase(store) : await openWithoutLocks(store);
console.log('ready');
await once(process.stdin, 'data');
let refused = 0;
for (const twitchId of viewers)
  await database.transaction((tx) => evaluateViewer(tx, { twitchId }, Number(nowMs))).catch(() => refused++);
await database.close();
console.log(`done, ${refused} refused by the store`);
process.exit(0);
