ALTER TABLE "rules" ADD COLUMN "announced_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "chat_announcements" ADD COLUMN "line" text;