ALTER TABLE "rules" DROP CONSTRAINT "rules_has_condition";--> statement-breakpoint
ALTER TABLE "raffles" ADD COLUMN "announced_at_ms" bigint;--> statement-breakpoint
UPDATE "raffles" SET "announced_at_ms" = "sealed_at_ms" WHERE "drawn_at_ms" IS NOT NULL AND "seal_line_id" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "chat_announcements" WHERE "chat_announcements"."id" = "raffles"."seal_line_id");--> statement-breakpoint
ALTER TABLE "raffles" DROP COLUMN "seal_line_id";--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_has_condition" CHECK ("rules"."follow_days" is not null or "rules"."watch_minutes" is not null or "rules"."attended_streams" is not null or "rules"."subscriber_tier" is not null or "rules"."points_cost" is not null or "rules"."state" = 'closed');--> statement-breakpoint
UPDATE "rules" SET "watch_minutes" = null WHERE "watch_minutes" = 0 AND "id" IN (SELECT "rule_id" FROM "raffles");