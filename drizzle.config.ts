import { defineConfig } from 'drizzle-kit';

/** One schema, two folders: `npm run db:generate` runs this once for each dialect. */
const postgres = Boolean(process.env.DATABASE_URL);

export default defineConfig({
  dialect: postgres ? 'postgresql' : 'sqlite',
  schema: './db/schema/*.ts',
  out: postgres ? './db/migrations/postgres' : './db/migrations/sqlite',
});
