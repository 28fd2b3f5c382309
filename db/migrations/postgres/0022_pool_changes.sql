CREATE TABLE "pool_changes" (
	"id" text PRIMARY KEY NOT NULL,
	"rule_id" text NOT NULL,
	"after_draw" bigint NOT NULL,
	"at_ms" bigint NOT NULL,
	"app_id" bigint NOT NULL,
	"market_hash_name" text NOT NULL,
	"added" bigint DEFAULT 0 NOT NULL,
	"weight_before" bigint,
	"weight" bigint
);
--> statement-breakpoint
ALTER TABLE "pool_changes" ADD CONSTRAINT "pool_changes_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pool_changes_rule" ON "pool_changes" USING btree ("rule_id","after_draw","id");