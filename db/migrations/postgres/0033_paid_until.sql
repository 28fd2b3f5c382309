ALTER TABLE "subscriptions" DROP CONSTRAINT "subscriptions_state";--> statement-breakpoint
ALTER TABLE "stripe_customers" ADD COLUMN "failures" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stripe_customers" ADD COLUMN "retry_at_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stripe_events" ADD COLUMN "occurred_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "paid_until_ms" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "failed_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "stripe_events_failures" ON "stripe_events" USING btree ("object_id") WHERE type = 'invoice.payment_failed';--> statement-breakpoint
CREATE INDEX "subscriptions_plans" ON "subscriptions" USING btree ("user_id","product") WHERE state in ('trialing', 'active', 'grace', 'ending', 'covered');--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_state" CHECK ("subscriptions"."state" in ('trialing', 'active', 'grace', 'ending', 'covered', 'ended'));--> statement-breakpoint
UPDATE "subscriptions" SET "paid_until_ms" = "period_end_ms" WHERE "state" in ('active', 'ending');--> statement-breakpoint
UPDATE "subscriptions" SET "failed_at_ms" = "period_start_ms" WHERE "state" = 'grace';