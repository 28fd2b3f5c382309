ALTER TABLE "channels" ADD COLUMN "chatters_short" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "chatters_short_since_ms" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "unread_reason" text;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "unread_since_ms" bigint;