ALTER TABLE "channels" ADD COLUMN "hidden" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "owner_id" text;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "channel_id" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "hides_name" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
UPDATE "rewards" SET "owner_id" = (SELECT "owner_id" FROM "rules" WHERE "rules"."id" = "rewards"."rule_id"), "channel_id" = (SELECT "channel_id" FROM "rules" WHERE "rules"."id" = "rewards"."rule_id");--> statement-breakpoint
CREATE INDEX "rewards_owner_promises" ON "rewards" USING btree ("owner_id","promised_at_ms","id") WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX "rewards_channel_promises" ON "rewards" USING btree ("channel_id","promised_at_ms","id") WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX "rewards_user_promises" ON "rewards" USING btree ("user_id","promised_at_ms","id") WHERE twitch_id is not null;