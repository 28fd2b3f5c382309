// npm run soak -- --minutes 5 --seed 42: with --postgres, in a new database on the server of TEST_POSTGRES_URL. The
// modules take their dialect from DATABASE_URL while they load, so it is set before.
import { randomBytes } from 'node:crypto';

if (process.argv.includes('--postgres')) {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) {
    console.error('--postgres needs TEST_POSTGRES_URL: a server whose user may create databases');
    process.exit(2);
  }
  const { default: pg } = await import('pg');
  const name = `keepsake_soak_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = name;
  process.env.DATABASE_URL = url.href;
}
await import('./run.ts');
