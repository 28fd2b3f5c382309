import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isExpansion } from '#db/engine/expansions.ts';
import { migrationsFolder } from '#db/migrate.ts';
import { findContractions } from '../../tools/find-contractions.ts';

test('Migrations beside which the version before runs on only add something', () => {
  const expansions = Object.values(migrationsFolder).flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .map((file) => ({ file: join(folder, file), text: readFileSync(join(folder, file), 'utf8') }))
      .filter(({ text }) => isExpansion({ sql: [text] })),
  );
  expect(expansions.length).toBeGreaterThan(0);
  expect(
    expansions.flatMap(({ file, text }) => findContractions(text).map((found) => [file, found])),
  ).toEqual([]);
});

test('Tables, columns that may be left out, and indexes and keys of new tables are additions', () => {
  const added = [
    '-- expands\nCREATE TABLE "remarks" (\n\t"id" text PRIMARY KEY NOT NULL\n);',
    'ALTER TABLE "remarks" ADD CONSTRAINT "remarks_owner" FOREIGN KEY ("id") REFERENCES "users"("id");',
    'CREATE UNIQUE INDEX "remarks_order" ON "remarks" USING btree ("id");',
    'ALTER TABLE "rules" ADD COLUMN "remark" text;',
    'ALTER TABLE `rules` ADD `remarks` integer DEFAULT 0 NOT NULL;',
    `ALTER TABLE "rules" ADD COLUMN "facts" jsonb DEFAULT '{"it''s": 1}'::jsonb NOT NULL;`,
    'ALTER TABLE "drizzle"."steps" ADD COLUMN "expands" boolean DEFAULT false NOT NULL;',
  ];
  expect(findContractions(added.join('\n--> statement-breakpoint\n'))).toEqual([]);
});

test('Everything else changes what the version before relies on, or keeps it waiting', () => {
  const changes = [
    'ALTER TABLE "rules" ADD COLUMN "remark" text NOT NULL;',
    'ALTER TABLE "rules" ADD CONSTRAINT "rules_remark" CHECK (length("rules"."name") > 1);',
    'ALTER TABLE "rules" ADD COLUMN "remark" text, DROP COLUMN "name";',
    'ALTER TABLE "rules" ADD CHECK (length("name") > 1);',
    'ALTER TABLE "rules" ADD UNIQUE ("name");',
    'ALTER TABLE "rules" ADD FOREIGN KEY ("owner") REFERENCES "users"("id");',
    'ALTER TABLE "rules" ADD COLUMN "remark" text UNIQUE;',
    'ALTER TABLE "rules" ADD COLUMN "remark" text REFERENCES "users"("id");',
    'ALTER TABLE "rules" ADD COLUMN "remark" text DEFAULT gen_random_uuid() NOT NULL;',
    'ALTER TABLE "rules" ADD COLUMN "remark" bigserial;',
    'ALTER TABLE "rules" ADD COLUMN "remark" text GENERATED ALWAYS AS (lower("name")) STORED;',
    'ALTER TABLE "rules" DROP COLUMN "name";',
    'ALTER TABLE "rules" ALTER COLUMN "name" DROP NOT NULL;',
    'CREATE INDEX "rules_name" ON "rules" USING btree ("name");',
    'DROP INDEX "rules_owner";',
    'DROP TABLE "rules";',
    'CREATE TABLE "remarks" ("id" text); DROP TABLE "rules";',
    'UPDATE "rules" SET "name" = \'\';',
    'ALTER TABLE `__new_rules` RENAME TO `rules`;',
  ];
  expect(findContractions(changes.join('--> statement-breakpoint\n'))).toEqual(changes);
});
