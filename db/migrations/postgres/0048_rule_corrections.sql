CREATE TABLE "rule_corrections" (
	"id" text PRIMARY KEY NOT NULL,
	"rule_id" text NOT NULL,
	"at_ms" bigint NOT NULL,
	"after_draw" bigint NOT NULL,
	"before" jsonb NOT NULL,
	"after" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rule_corrections" ADD CONSTRAINT "rule_corrections_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rule_corrections_rule" ON "rule_corrections" USING btree ("rule_id","id");