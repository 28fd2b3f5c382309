ALTER TABLE "bots" ADD COLUMN "refused_with" text;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "refused_code" text;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "refusals" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "refused_since_ms" bigint;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "refused_transfer_id" text;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "send_paused_at_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "send_pause_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "log_on_paused_at_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "log_on_pause_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "log_on_failures" bigint DEFAULT 0 NOT NULL;