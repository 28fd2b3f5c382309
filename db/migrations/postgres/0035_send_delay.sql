ALTER TABLE "rules" ADD COLUMN "send_delay_hours" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "transfers" ADD COLUMN "sends_from_ms" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "send_delay_hours" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "next_send_delay_hours" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "next_send_delay_at_ms" bigint;