CREATE TABLE "outages" (
	"id" text PRIMARY KEY NOT NULL,
	"ended_at_ms" bigint NOT NULL,
	"lasted_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_guests" (
	"channel_id" text NOT NULL,
	"user_id" text NOT NULL,
	"admitted_at_ms" bigint NOT NULL,
	CONSTRAINT "channel_guests_channel_id_user_id_pk" PRIMARY KEY("channel_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "excluded_logins" (
	"channel_id" text NOT NULL,
	"login" text NOT NULL,
	"twitch_id" text,
	CONSTRAINT "excluded_logins_channel_id_login_pk" PRIMARY KEY("channel_id","login")
);
--> statement-breakpoint
CREATE TABLE "subscribers" (
	"channel_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"tier" bigint NOT NULL,
	CONSTRAINT "subscribers_channel_id_twitch_id_pk" PRIMARY KEY("channel_id","twitch_id"),
	CONSTRAINT "subscribers_tier" CHECK ("subscribers"."tier" between 1 and 3)
);
--> statement-breakpoint
CREATE TABLE "watch_days" (
	"channel_id" text NOT NULL,
	"day_ms" bigint NOT NULL,
	"twitch_id" text NOT NULL,
	"seconds" bigint NOT NULL,
	CONSTRAINT "watch_days_channel_id_day_ms_twitch_id_pk" PRIMARY KEY("channel_id","day_ms","twitch_id")
);
--> statement-breakpoint
CREATE TABLE "draws" (
	"rule_id" text NOT NULL,
	"number" bigint NOT NULL,
	"twitch_id" text NOT NULL,
	"candidates" jsonb NOT NULL,
	"reward_id" text NOT NULL,
	"drawn_at_ms" bigint NOT NULL,
	"previous_fingerprint" text NOT NULL,
	CONSTRAINT "draws_rule_id_number_pk" PRIMARY KEY("rule_id","number")
);
--> statement-breakpoint
CREATE TABLE "kind_weights" (
	"rule_id" text NOT NULL,
	"app_id" bigint NOT NULL,
	"market_hash_name" text NOT NULL,
	"weight" bigint NOT NULL,
	CONSTRAINT "kind_weights_rule_id_app_id_market_hash_name_pk" PRIMARY KEY("rule_id","app_id","market_hash_name")
);
--> statement-breakpoint
CREATE TABLE "custom_rewards" (
	"rule_id" text PRIMARY KEY NOT NULL,
	"channel_id" text NOT NULL,
	"twitch_reward_id" text,
	"state" text DEFAULT 'missing' NOT NULL,
	"fault" text,
	"retry_at_ms" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "custom_rewards_state" CHECK ("custom_rewards"."state" in ('missing', 'enabled', 'paused', 'disabled', 'deleted'))
);
--> statement-breakpoint
CREATE TABLE "redemptions" (
	"id" text PRIMARY KEY NOT NULL,
	"rule_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"reward_id" text,
	"state" text DEFAULT 'open' NOT NULL,
	"wish" text,
	"refund_reason" text,
	"redeemed_at_ms" bigint NOT NULL,
	"ended_at_ms" bigint,
	"run_at_ms" bigint DEFAULT 0 NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"missed_looks" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "redemptions_state" CHECK ("redemptions"."state" in ('open', 'fulfilled', 'refunded'))
);
--> statement-breakpoint
CREATE TABLE "chat_news" (
	"id" text PRIMARY KEY NOT NULL,
	"channel_id" text NOT NULL,
	"names" jsonb NOT NULL,
	"others" bigint NOT NULL,
	"rule_name" text NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conduits" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "seen_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "subscribers_read_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "subscribers_fault" text;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "rolled_up_to_ms" bigint;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "chat_locale" text;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "announces_promises" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "watch_times" ADD COLUMN "rolled_seconds" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "claim_shifted_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "subscriber_tier" bigint;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "points_cost" bigint;--> statement-breakpoint
ALTER TABLE "channel_guests" ADD CONSTRAINT "channel_guests_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_guests" ADD CONSTRAINT "channel_guests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "excluded_logins" ADD CONSTRAINT "excluded_logins_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "draws" ADD CONSTRAINT "draws_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "draws" ADD CONSTRAINT "draws_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kind_weights" ADD CONSTRAINT "kind_weights_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_rewards" ADD CONSTRAINT "custom_rewards_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_rewards" ADD CONSTRAINT "custom_rewards_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_news" ADD CONSTRAINT "chat_news_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "channel_guests_user" ON "channel_guests" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "draws_reward" ON "draws" USING btree ("reward_id");--> statement-breakpoint
CREATE UNIQUE INDEX "custom_rewards_twitch" ON "custom_rewards" USING btree ("twitch_reward_id") WHERE twitch_reward_id is not null;--> statement-breakpoint
CREATE INDEX "custom_rewards_channel" ON "custom_rewards" USING btree ("channel_id");--> statement-breakpoint
CREATE UNIQUE INDEX "redemptions_reward" ON "redemptions" USING btree ("reward_id") WHERE reward_id is not null;--> statement-breakpoint
CREATE INDEX "redemptions_due" ON "redemptions" USING btree ("run_at_ms") WHERE state = 'open' and wish is not null;--> statement-breakpoint
CREATE INDEX "redemptions_rule" ON "redemptions" USING btree ("rule_id","twitch_id");--> statement-breakpoint
CREATE INDEX "chat_news_channel" ON "chat_news" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "seen_messages_at" ON "seen_messages" USING btree ("seen_at_ms");