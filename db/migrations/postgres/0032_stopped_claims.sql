ALTER TABLE "rewards" ADD COLUMN "stop_reason" text;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "stop_asked_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "rewards_channel_stopped" ON "rewards" USING btree ("channel_id","stop_reason") WHERE recall_reason = 'stopped';--> statement-breakpoint
CREATE INDEX "rewards_rule_stopped" ON "rewards" USING btree ("rule_id","stop_reason") WHERE recall_reason = 'stopped';