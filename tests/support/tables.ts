import { readdirSync } from 'node:fs';
import { is, Table } from 'drizzle-orm';

const folder = new URL('../../db/schema/', import.meta.url);
const modules = await Promise.all(
  readdirSync(folder).map((file) => import(/* @vite-ignore */ new URL(file, folder).href)),
);

/** All tables of the schema. */
export const tables = modules
  .flatMap((module) => Object.values(module as object))
  .filter((each): each is Table => is(each, Table));
