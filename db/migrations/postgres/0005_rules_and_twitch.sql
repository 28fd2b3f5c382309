ALTER TABLE "rules" DROP CONSTRAINT "rules_subscriber_tier";--> statement-breakpoint
ALTER TABLE "rules" DROP CONSTRAINT "rules_has_condition";--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "link_hash" text;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "link_expires_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "confirmed_at_ms" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "contact_messages_link" ON "contact_messages" USING btree ("link_hash");--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_has_condition" CHECK ("rules"."follow_days" is not null or "rules"."watch_minutes" is not null);