ALTER TABLE "subscriptions" ADD COLUMN "next_charge" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "next_charge_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "is_payment_under_way" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "is_paused" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "paused_until_ms" bigint;