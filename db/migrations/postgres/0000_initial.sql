CREATE TABLE "api_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"last_used_at_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"key" text PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL,
	"ends_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "extension_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"used_at_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "spent_captchas" (
	"solution_hash" text PRIMARY KEY NOT NULL,
	"expires_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chat_accounts" (
	"twitch_id" text PRIMARY KEY NOT NULL,
	"login" text NOT NULL,
	"access_token_sealed" text NOT NULL,
	"refresh_token_sealed" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"token_obtained_at_ms" bigint NOT NULL,
	"token_lifetime_seconds" bigint NOT NULL,
	"broken" boolean DEFAULT false NOT NULL,
	"lease_holder" text,
	"lease_until_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "open_id_nonces" (
	"nonce" text PRIMARY KEY NOT NULL,
	"seen_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "steam_accounts" (
	"steam_id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"persona_name" text DEFAULT '' NOT NULL,
	"trade_token" text,
	"linked_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "twitch_accounts" (
	"twitch_id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"login" text NOT NULL,
	"display_name" text NOT NULL,
	"picture_url" text DEFAULT '' NOT NULL,
	"access_token_sealed" text NOT NULL,
	"refresh_token_sealed" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"token_obtained_at_ms" bigint NOT NULL,
	"token_lifetime_seconds" bigint NOT NULL,
	"state" text DEFAULT 'connected' NOT NULL,
	"linked_at_ms" bigint NOT NULL,
	CONSTRAINT "twitch_accounts_state" CHECK ("twitch_accounts"."state" in ('connected', 'restricted'))
);
--> statement-breakpoint
CREATE TABLE "bots" (
	"id" text PRIMARY KEY NOT NULL,
	"steam_id" text,
	"state" text DEFAULT 'offline' NOT NULL,
	"fault" text,
	"lease_holder" text,
	"lease_until_ms" bigint DEFAULT 0 NOT NULL,
	"heartbeat_at_ms" bigint DEFAULT 0 NOT NULL,
	"protection_acknowledged" boolean DEFAULT false NOT NULL,
	"refresh_token_sealed" text,
	"first_seen_at_ms" bigint NOT NULL,
	CONSTRAINT "bots_state" CHECK ("bots"."state" in ('offline', 'starting', 'ready', 'broken'))
);
--> statement-breakpoint
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
CREATE TABLE "channels" (
	"id" text PRIMARY KEY NOT NULL,
	"login" text NOT NULL,
	"display_name" text NOT NULL,
	"picture_url" text DEFAULT '' NOT NULL,
	"live" boolean DEFAULT false NOT NULL,
	"stream_id" text,
	"stream_started_at_ms" bigint,
	"went_offline_at_ms" bigint,
	"game_name" text DEFAULT '' NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"last_seen_at_ms" bigint NOT NULL,
	"watched_until_ms" bigint,
	"follows_read_at_ms" bigint,
	"subscribers_read_at_ms" bigint,
	"subscribers_fault" text,
	"rolled_up_to_ms" bigint,
	"chat_locale" text,
	"announces_promises" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "excluded_logins" (
	"channel_id" text NOT NULL,
	"login" text NOT NULL,
	"twitch_id" text,
	CONSTRAINT "excluded_logins_channel_id_login_pk" PRIMARY KEY("channel_id","login")
);
--> statement-breakpoint
CREATE TABLE "follows" (
	"channel_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"followed_at_ms" bigint NOT NULL,
	CONSTRAINT "follows_channel_id_twitch_id_pk" PRIMARY KEY("channel_id","twitch_id")
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
CREATE TABLE "watch_gaps" (
	"channel_id" text NOT NULL,
	"from_ms" bigint NOT NULL,
	"until_ms" bigint NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "watch_gaps_channel_id_from_ms_pk" PRIMARY KEY("channel_id","from_ms"),
	CONSTRAINT "watch_gaps_reason" CHECK ("watch_gaps"."reason" in ('notPolled', 'twitchUnavailable', 'permissionLost'))
);
--> statement-breakpoint
CREATE TABLE "watch_times" (
	"channel_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"seconds" bigint NOT NULL,
	"next_check_seconds" bigint NOT NULL,
	"rolled_seconds" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "watch_times_channel_id_twitch_id_pk" PRIMARY KEY("channel_id","twitch_id")
);
--> statement-breakpoint
CREATE TABLE "contact_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"message" text NOT NULL,
	"locale" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"link_hash" text,
	"link_expires_at_ms" bigint,
	"confirmed_at_ms" bigint
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
CREATE TABLE "items" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"bot_id" text NOT NULL,
	"app_id" bigint NOT NULL,
	"context_id" text NOT NULL,
	"asset_id" text NOT NULL,
	"class_id" text NOT NULL,
	"instance_id" text NOT NULL,
	"market_hash_name" text NOT NULL,
	"name" text NOT NULL,
	"icon_url" text DEFAULT '' NOT NULL,
	"type_line" text DEFAULT '' NOT NULL,
	"type_tag" text DEFAULT '' NOT NULL,
	"rarity_tag" text DEFAULT '' NOT NULL,
	"rarity_color" text DEFAULT '' NOT NULL,
	"exterior" text DEFAULT '' NOT NULL,
	"state" text NOT NULL,
	"locked_until_ms" bigint NOT NULL,
	"depositor_steam_id" text NOT NULL,
	"received_at_ms" bigint NOT NULL,
	CONSTRAINT "items_state" CHECK ("items"."state" in ('held', 'outgoing', 'delivered', 'missing', 'gone'))
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"item_id" text NOT NULL,
	"from_holder" text NOT NULL,
	"to_holder" text NOT NULL,
	"cause" text NOT NULL,
	"transfer_id" text,
	"at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"recipient" text NOT NULL,
	"template" text NOT NULL,
	"locale" text NOT NULL,
	"values" jsonb NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"run_at_ms" bigint NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"lease_until_ms" bigint DEFAULT 0 NOT NULL,
	"sent_at_ms" bigint,
	"last_error" text
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
	"settlement" text,
	"refund_reason" text,
	"redeemed_at_ms" bigint NOT NULL,
	"ended_at_ms" bigint,
	"run_at_ms" bigint DEFAULT 0 NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"missed_polls" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "redemptions_state" CHECK ("redemptions"."state" in ('open', 'fulfilled', 'refunded'))
);
--> statement-breakpoint
CREATE TABLE "rewards" (
	"id" text PRIMARY KEY NOT NULL,
	"rule_id" text NOT NULL,
	"item_id" text NOT NULL,
	"state" text DEFAULT 'free' NOT NULL,
	"position" text NOT NULL,
	"twitch_id" text,
	"user_id" text,
	"promised_at_ms" bigint,
	"claim_until_ms" bigint,
	"claim_shifted_ms" bigint DEFAULT 0 NOT NULL,
	"steam_id" text,
	"claimed_at_ms" bigint,
	"recall_reason" text,
	"unmet_condition" text,
	"created_at_ms" bigint NOT NULL,
	"attached_at_ms" bigint,
	CONSTRAINT "rewards_state" CHECK ("rewards"."state" in ('free', 'promised', 'reserved', 'claimed', 'recalled')),
	CONSTRAINT "rewards_free_is_nobodys" CHECK (("rewards"."state" = 'free') <= ("rewards"."twitch_id" is null))
);
--> statement-breakpoint
CREATE TABLE "qualifications" (
	"rule_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"qualified_at_ms" bigint NOT NULL,
	"tie_break" text NOT NULL,
	"promised_at_ms" bigint,
	CONSTRAINT "qualifications_rule_id_twitch_id_pk" PRIMARY KEY("rule_id","twitch_id")
);
--> statement-breakpoint
CREATE TABLE "rules" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"pause_reason" text,
	"follow_days" bigint,
	"watch_minutes" bigint,
	"watch_scope" text DEFAULT 'sinceRule' NOT NULL,
	"subscriber_tier" bigint,
	"points_cost" bigint,
	"claim_timeout_hours" bigint NOT NULL,
	"seed" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"closed_at_ms" bigint,
	CONSTRAINT "rules_state" CHECK ("rules"."state" in ('open', 'paused', 'closed')),
	CONSTRAINT "rules_type" CHECK ("rules"."type" in ('one', 'random')),
	CONSTRAINT "rules_has_condition" CHECK ("rules"."follow_days" is not null or "rules"."watch_minutes" is not null or "rules"."subscriber_tier" is not null or "rules"."points_cost" is not null),
	CONSTRAINT "rules_subscriber_tier" CHECK ("rules"."subscriber_tier" between 1 and 3),
	CONSTRAINT "rules_claim_timeout" CHECK ("rules"."claim_timeout_hours" between 1 and 336)
);
--> statement-breakpoint
CREATE TABLE "watch_baselines" (
	"rule_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"seconds" bigint NOT NULL,
	CONSTRAINT "watch_baselines_rule_id_twitch_id_pk" PRIMARY KEY("rule_id","twitch_id")
);
--> statement-breakpoint
CREATE TABLE "transfer_items" (
	"transfer_id" text NOT NULL,
	"app_id" bigint NOT NULL,
	"context_id" text NOT NULL,
	"asset_id" text NOT NULL,
	"class_id" text NOT NULL,
	"instance_id" text NOT NULL,
	"market_hash_name" text NOT NULL,
	"name" text NOT NULL,
	"icon_url" text DEFAULT '' NOT NULL,
	"type_line" text DEFAULT '' NOT NULL,
	"type_tag" text DEFAULT '' NOT NULL,
	"rarity_tag" text DEFAULT '' NOT NULL,
	"rarity_color" text DEFAULT '' NOT NULL,
	"exterior" text DEFAULT '' NOT NULL,
	"item_id" text,
	"new_asset_id" text,
	"new_context_id" text,
	"open" boolean DEFAULT true NOT NULL,
	CONSTRAINT "transfer_items_transfer_id_app_id_asset_id_pk" PRIMARY KEY("transfer_id","app_id","asset_id")
);
--> statement-breakpoint
CREATE TABLE "transfer_steps" (
	"id" text PRIMARY KEY NOT NULL,
	"transfer_id" text NOT NULL,
	"state" text NOT NULL,
	"event" text NOT NULL,
	"detail" text,
	"at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"user_id" text NOT NULL,
	"bot_id" text NOT NULL,
	"reward_id" text,
	"partner_steam_id" text NOT NULL,
	"trade_token" text NOT NULL,
	"security_code" text NOT NULL,
	"offer_id" text,
	"trade_id" text,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"last_error" text,
	"run_at_ms" bigint NOT NULL,
	"lease_holder" text,
	"lease_until_ms" bigint DEFAULT 0 NOT NULL,
	"clean_polls" bigint DEFAULT 0 NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"sent_at_ms" bigint,
	"expires_at_ms" bigint,
	"cancel_at_ms" bigint,
	"cancel_wanted" boolean DEFAULT false NOT NULL,
	"accepted_at_ms" bigint,
	"settles_at_ms" bigint,
	CONSTRAINT "transfers_state" CHECK ("transfers"."state" in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed', 'accepted', 'settled', 'reversed', 'declined', 'expired', 'cancelled', 'failed')),
	CONSTRAINT "transfers_kind" CHECK ("transfers"."kind" in ('deposit', 'return', 'claim'))
);
--> statement-breakpoint
CREATE TABLE "chat_announcements" (
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
CREATE TABLE "email_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"purpose" text NOT NULL,
	"email" text NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"used_at_ms" bigint,
	CONSTRAINT "email_tokens_purpose" CHECK ("email_tokens"."purpose" in ('verify', 'reset', 'change'))
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"last_seen_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"email_verified_at_ms" bigint,
	"locale" text DEFAULT 'en' NOT NULL,
	"theme" text DEFAULT 'system' NOT NULL,
	"notify_by_mail" boolean DEFAULT true NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"deleted_at_ms" bigint,
	CONSTRAINT "users_locale" CHECK ("users"."locale" in ('en', 'ru'))
);
--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "extension_codes" ADD CONSTRAINT "extension_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "steam_accounts" ADD CONSTRAINT "steam_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "twitch_accounts" ADD CONSTRAINT "twitch_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_guests" ADD CONSTRAINT "channel_guests_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_guests" ADD CONSTRAINT "channel_guests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "excluded_logins" ADD CONSTRAINT "excluded_logins_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD CONSTRAINT "contact_messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "draws" ADD CONSTRAINT "draws_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "draws" ADD CONSTRAINT "draws_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kind_weights" ADD CONSTRAINT "kind_weights_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "items" ADD CONSTRAINT "items_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "items" ADD CONSTRAINT "items_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_item_id_items_id_fk" FOREIGN KEY ("item_id") REFERENCES "public"."items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_rewards" ADD CONSTRAINT "custom_rewards_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_rewards" ADD CONSTRAINT "custom_rewards_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_item_id_items_id_fk" FOREIGN KEY ("item_id") REFERENCES "public"."items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "qualifications" ADD CONSTRAINT "qualifications_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watch_baselines" ADD CONSTRAINT "watch_baselines_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfer_items" ADD CONSTRAINT "transfer_items_transfer_id_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfer_items" ADD CONSTRAINT "transfer_items_item_id_items_id_fk" FOREIGN KEY ("item_id") REFERENCES "public"."items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfer_steps" ADD CONSTRAINT "transfer_steps_transfer_id_transfers_id_fk" FOREIGN KEY ("transfer_id") REFERENCES "public"."transfers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_announcements" ADD CONSTRAINT "chat_announcements_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_tokens" ADD CONSTRAINT "email_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_hash" ON "api_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "api_tokens_user" ON "api_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "attempts_end" ON "attempts" USING btree ("ends_at_ms");--> statement-breakpoint
CREATE INDEX "extension_codes_user" ON "extension_codes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "spent_captchas_expiry" ON "spent_captchas" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "steam_accounts_user" ON "steam_accounts" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "twitch_accounts_user" ON "twitch_accounts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "twitch_accounts_login" ON "twitch_accounts" USING btree ("login");--> statement-breakpoint
CREATE INDEX "outages_ended" ON "outages" USING btree ("ended_at_ms");--> statement-breakpoint
CREATE INDEX "channel_guests_user" ON "channel_guests" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "channels_login" ON "channels" USING btree ("login");--> statement-breakpoint
CREATE INDEX "channels_live" ON "channels" USING btree ("live");--> statement-breakpoint
CREATE INDEX "channels_to_roll_up" ON "channels" USING btree ("rolled_up_to_ms") WHERE watched_until_ms >= rolled_up_to_ms;--> statement-breakpoint
CREATE INDEX "follows_viewer" ON "follows" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "subscribers_viewer" ON "subscribers" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "watch_days_day" ON "watch_days" USING btree ("day_ms","channel_id");--> statement-breakpoint
CREATE INDEX "watch_times_due" ON "watch_times" USING btree ("channel_id") WHERE "watch_times"."seconds" >= "watch_times"."next_check_seconds";--> statement-breakpoint
CREATE INDEX "watch_times_viewer" ON "watch_times" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "contact_messages_user" ON "contact_messages" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "contact_messages_link" ON "contact_messages" USING btree ("link_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "draws_reward" ON "draws" USING btree ("reward_id");--> statement-breakpoint
CREATE UNIQUE INDEX "items_asset" ON "items" USING btree ("app_id","asset_id") WHERE state in ('held', 'outgoing');--> statement-breakpoint
CREATE INDEX "items_owner" ON "items" USING btree ("owner_id","state");--> statement-breakpoint
CREATE INDEX "items_custody" ON "items" USING btree ("owner_id","market_hash_name","app_id","state","locked_until_ms","id") WHERE state in ('held', 'outgoing', 'missing');--> statement-breakpoint
CREATE INDEX "items_bot" ON "items" USING btree ("bot_id","state");--> statement-breakpoint
CREATE INDEX "ledger_entries_item" ON "ledger_entries" USING btree ("item_id","id");--> statement-breakpoint
CREATE INDEX "events_at" ON "events" USING btree ("at_ms");--> statement-breakpoint
CREATE INDEX "events_user" ON "events" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("run_at_ms") WHERE sent_at_ms is null;--> statement-breakpoint
CREATE INDEX "mails_created" ON "mails" USING btree ("created_at_ms");--> statement-breakpoint
CREATE INDEX "mails_recipient" ON "mails" USING btree ("recipient");--> statement-breakpoint
CREATE UNIQUE INDEX "custom_rewards_twitch" ON "custom_rewards" USING btree ("twitch_reward_id") WHERE twitch_reward_id is not null;--> statement-breakpoint
CREATE INDEX "custom_rewards_channel" ON "custom_rewards" USING btree ("channel_id");--> statement-breakpoint
CREATE INDEX "custom_rewards_state" ON "custom_rewards" USING btree ("state");--> statement-breakpoint
CREATE UNIQUE INDEX "redemptions_reward" ON "redemptions" USING btree ("reward_id") WHERE reward_id is not null;--> statement-breakpoint
CREATE INDEX "redemptions_due" ON "redemptions" USING btree ("run_at_ms") WHERE state = 'open' and settlement is not null;--> statement-breakpoint
CREATE INDEX "redemptions_open" ON "redemptions" USING btree ("rule_id") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "redemptions_rule" ON "redemptions" USING btree ("rule_id","twitch_id");--> statement-breakpoint
CREATE INDEX "redemptions_viewer" ON "redemptions" USING btree ("twitch_id");--> statement-breakpoint
CREATE UNIQUE INDEX "rewards_one_live_per_item" ON "rewards" USING btree ("item_id") WHERE state in ('free', 'promised', 'reserved');--> statement-breakpoint
CREATE UNIQUE INDEX "rewards_one_promise_per_viewer" ON "rewards" USING btree ("rule_id","twitch_id") WHERE twitch_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "rewards_one_claim_per_steam_id" ON "rewards" USING btree ("rule_id","steam_id") WHERE steam_id is not null;--> statement-breakpoint
CREATE INDEX "rewards_free" ON "rewards" USING btree ("rule_id","position") WHERE state = 'free';--> statement-breakpoint
CREATE INDEX "rewards_pending" ON "rewards" USING btree ("state","claim_until_ms") WHERE state in ('promised', 'reserved');--> statement-breakpoint
CREATE INDEX "rewards_rule" ON "rewards" USING btree ("rule_id","state");--> statement-breakpoint
CREATE INDEX "rewards_promises" ON "rewards" USING btree ("rule_id","promised_at_ms","id") WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX "rewards_user" ON "rewards" USING btree ("user_id","state","promised_at_ms","id");--> statement-breakpoint
CREATE UNIQUE INDEX "qualifications_viewer" ON "qualifications" USING btree ("twitch_id","rule_id");--> statement-breakpoint
CREATE INDEX "qualifications_waiting" ON "qualifications" USING btree ("rule_id","qualified_at_ms","tie_break") WHERE promised_at_ms is null;--> statement-breakpoint
CREATE INDEX "rules_channel" ON "rules" USING btree ("channel_id","state");--> statement-breakpoint
CREATE INDEX "rules_state" ON "rules" USING btree ("state","channel_id");--> statement-breakpoint
CREATE INDEX "rules_owner" ON "rules" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "rules_closed" ON "rules" USING btree ("closed_at_ms") WHERE state = 'closed';--> statement-breakpoint
CREATE UNIQUE INDEX "transfer_items_one_open_offer_per_asset" ON "transfer_items" USING btree ("app_id","asset_id") WHERE "transfer_items"."open";--> statement-breakpoint
CREATE INDEX "transfer_items_item" ON "transfer_items" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "transfer_steps_transfer" ON "transfer_steps" USING btree ("transfer_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "transfers_one_live_per_reward" ON "transfers" USING btree ("reward_id") WHERE reward_id is not null and state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE UNIQUE INDEX "transfers_offer" ON "transfers" USING btree ("offer_id") WHERE offer_id is not null;--> statement-breakpoint
CREATE INDEX "transfers_due" ON "transfers" USING btree ("bot_id","state","run_at_ms") WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX "transfers_settling" ON "transfers" USING btree ("bot_id","settles_at_ms") WHERE state = 'accepted';--> statement-breakpoint
CREATE INDEX "transfers_user" ON "transfers" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "transfers_user_live" ON "transfers" USING btree ("user_id") WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX "transfers_reward" ON "transfers" USING btree ("reward_id","id") WHERE reward_id is not null;--> statement-breakpoint
CREATE INDEX "chat_announcements_channel" ON "chat_announcements" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "seen_messages_at" ON "seen_messages" USING btree ("seen_at_ms");--> statement-breakpoint
CREATE INDEX "email_tokens_user" ON "email_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_end" ON "sessions" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only();
