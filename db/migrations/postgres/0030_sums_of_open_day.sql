ALTER TABLE "channels" ADD COLUMN "open_watch_seconds" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "open_live_seconds" bigint DEFAULT 0 NOT NULL;