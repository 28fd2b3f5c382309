ALTER TABLE "transfers" ADD COLUMN "silent_since_ms" bigint;--> statement-breakpoint
CREATE INDEX "rewards_ended_item" ON "rewards" USING btree ("item_id") WHERE state in ('claimed', 'recalled');