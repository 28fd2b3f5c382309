import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', name = ''] = process.argv.slice(2);
if (name === 'bot')
  console.log(
    JSON.stringify({ level: 60, process: name, err: { message: 'no answer' }, msg: 'the database is away' }),
  );
const file = join(folder, name);
writeFileSync(`${file}.new`, String(process.pid));
renameSync(`${file}.new`, file);
setInterval(() => {}, 1000);
