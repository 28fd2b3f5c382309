ALTER TABLE "channels" ADD COLUMN "repeat_id" text;--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "missed_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "custom_rewards" ADD COLUMN "missed_at_ms" bigint;