ALTER TABLE "channels" ADD COLUMN "looked_until_ms" bigint;--> statement-breakpoint
ALTER TABLE "viewer_gaps" ADD COLUMN "reason" text DEFAULT 'watchedElsewhere' NOT NULL;--> statement-breakpoint
ALTER TABLE "watch_times" ADD COLUMN "counted_until_ms" bigint;