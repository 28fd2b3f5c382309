ALTER TABLE "channels" ADD COLUMN "follows_listed" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "follows_begun_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "follows_cursor" text;--> statement-breakpoint
ALTER TABLE "follows" ADD COLUMN "seen_at_ms" bigint DEFAULT 0 NOT NULL;