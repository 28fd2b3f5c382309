// A supervisor of two parts, for the test of restarts: `supervised.ts FOLDER`. Each part writes its process id there.
import { resolve } from 'node:path';
import { createLog } from '../../cli/log.ts';
import { Restarts } from '../../cli/restarts.ts';
import { Supervisor } from '../../cli/supervisor.ts';

const [folder = ''] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '../..');
const supervisor = new Supervisor({
  ...{ root, watching: true, log: createLog('supervisor') },
  restarts: new Restarts(10),
});
supervisor.endOnSignals();
supervisor.spare('bot', { ended() {}, startedAgain() {} });
for (const name of ['web', 'bot'])
  supervisor.start(
    name,
    { program: 'tests/support/supervised-part.ts', args: [folder, name] },
    { PATH: process.env.PATH },
  );
supervisor.restartFromNowOn();
