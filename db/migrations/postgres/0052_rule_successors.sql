DROP INDEX "rewards_rule_user";--> statement-breakpoint
DROP INDEX "rewards_one_claim_per_steam_id";--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "line_id" text;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "succeeds_id" text;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "line_id" text;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_line_id_rules_id_fk" FOREIGN KEY ("line_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_succeeds_id_rules_id_fk" FOREIGN KEY ("succeeds_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_line_id_rules_id_fk" FOREIGN KEY ("line_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "rewards_one_promise_of_line" ON "rewards" USING btree ((case when line_id is null then rule_id else line_id end),"twitch_id") WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX "rewards_line_user" ON "rewards" USING btree ((case when line_id is null then rule_id else line_id end),"user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "rewards_one_claim_of_line" ON "rewards" USING btree ((case when line_id is null then rule_id else line_id end),"steam_id") WHERE steam_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "rules_one_successor" ON "rules" USING btree ("succeeds_id") WHERE succeeds_id is not null;