// Loaded into a start: answers for a disk that this machine does not have, as JSON in TEST_STATFS.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const given = JSON.parse(process.env.TEST_STATFS);
const real = fs.statfsSync;
fs.statfsSync = (path) => ({ ...real(path), ...given });
syncBuiltinESMExports();
