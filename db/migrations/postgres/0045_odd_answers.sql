CREATE TABLE "odd_answers" (
	"id" text PRIMARY KEY NOT NULL,
	"platform" text NOT NULL,
	"place" text NOT NULL,
	"path" text NOT NULL,
	"difference" text NOT NULL,
	"found" text NOT NULL,
	"reaction" text NOT NULL,
	"example" text,
	"count" bigint NOT NULL,
	"first_seen_at_ms" bigint NOT NULL,
	"last_seen_at_ms" bigint NOT NULL
);
