ALTER TABLE "chat_accounts" ADD COLUMN "lease_holder" text;--> statement-breakpoint
ALTER TABLE "chat_accounts" ADD COLUMN "lease_until_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "follows_read_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "unmet_condition" text;