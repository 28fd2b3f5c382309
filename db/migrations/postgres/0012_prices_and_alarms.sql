CREATE TABLE "alarms" (
	"key" text PRIMARY KEY NOT NULL,
	"mailed_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "price" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "next_price" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "currency" text;