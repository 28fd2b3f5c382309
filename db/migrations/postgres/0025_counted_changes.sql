ALTER TABLE "pool_changes" ADD COLUMN "cause" text;--> statement-breakpoint
ALTER TABLE "pool_changes" ADD COLUMN "times" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "pool_changes" ADD COLUMN "last_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "change_count" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "changes_from_draw" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "pool_changes_once" ON "pool_changes" USING btree ("rule_id","after_draw","app_id","market_hash_name","cause");--> statement-breakpoint
UPDATE "rules" SET
	"change_count" = (SELECT count(*) FROM "pool_changes" WHERE "pool_changes"."rule_id" = "rules"."id"),
	"changes_from_draw" = (SELECT coalesce(max("draws"."number"), 0) FROM "draws" WHERE "draws"."rule_id" = "rules"."id")
WHERE "rules"."type" = 'random';
