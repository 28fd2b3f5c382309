-- expands
CREATE TABLE "processes" (
	"id" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"version" text NOT NULL,
	"schema" bigint NOT NULL,
	"until_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "drizzle"."__drizzle_migrations" ADD COLUMN "expands" boolean DEFAULT false NOT NULL;
