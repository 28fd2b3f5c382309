ALTER TABLE "rules" ADD COLUMN "check_after" text;--> statement-breakpoint
CREATE INDEX "rules_to_check" ON "rules" USING btree ("channel_id") WHERE check_after is not null;