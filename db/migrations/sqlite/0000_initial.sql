CREATE TABLE `api_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`last_used_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_hash` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `api_tokens_user` ON `api_tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`ends_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `attempts_end` ON `attempts` (`ends_at_ms`);--> statement-breakpoint
CREATE TABLE `extension_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `extension_codes_user` ON `extension_codes` (`user_id`);--> statement-breakpoint
CREATE TABLE `spent_captchas` (
	`solution_hash` text PRIMARY KEY NOT NULL,
	`expires_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `spent_captchas_expiry` ON `spent_captchas` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `chat_accounts` (
	`twitch_id` text PRIMARY KEY NOT NULL,
	`login` text NOT NULL,
	`access_token_sealed` text NOT NULL,
	`refresh_token_sealed` text NOT NULL,
	`scopes` text NOT NULL,
	`token_obtained_at_ms` integer NOT NULL,
	`token_lifetime_seconds` integer NOT NULL,
	`broken` integer DEFAULT false NOT NULL,
	`lease_holder` text,
	`lease_until_ms` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `open_id_nonces` (
	`nonce` text PRIMARY KEY NOT NULL,
	`seen_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `steam_accounts` (
	`steam_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`persona_name` text DEFAULT '' NOT NULL,
	`trade_token` text,
	`linked_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `steam_accounts_user` ON `steam_accounts` (`user_id`);--> statement-breakpoint
CREATE TABLE `twitch_accounts` (
	`twitch_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`login` text NOT NULL,
	`display_name` text NOT NULL,
	`picture_url` text DEFAULT '' NOT NULL,
	`access_token_sealed` text NOT NULL,
	`refresh_token_sealed` text NOT NULL,
	`scopes` text NOT NULL,
	`token_obtained_at_ms` integer NOT NULL,
	`token_lifetime_seconds` integer NOT NULL,
	`state` text DEFAULT 'connected' NOT NULL,
	`linked_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "twitch_accounts_state" CHECK("twitch_accounts"."state" in ('connected', 'restricted'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `twitch_accounts_user` ON `twitch_accounts` (`user_id`);--> statement-breakpoint
CREATE INDEX `twitch_accounts_login` ON `twitch_accounts` (`login`);--> statement-breakpoint
CREATE TABLE `bots` (
	`id` text PRIMARY KEY NOT NULL,
	`steam_id` text,
	`state` text DEFAULT 'offline' NOT NULL,
	`fault` text,
	`lease_holder` text,
	`lease_until_ms` integer DEFAULT 0 NOT NULL,
	`heartbeat_at_ms` integer DEFAULT 0 NOT NULL,
	`protection_acknowledged` integer DEFAULT false NOT NULL,
	`refresh_token_sealed` text,
	`first_seen_at_ms` integer NOT NULL,
	CONSTRAINT "bots_state" CHECK("bots"."state" in ('offline', 'starting', 'ready', 'broken'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `outages` (
	`id` text PRIMARY KEY NOT NULL,
	`ended_at_ms` integer NOT NULL,
	`lasted_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `outages_ended` ON `outages` (`ended_at_ms`);--> statement-breakpoint
CREATE TABLE `channel_guests` (
	`channel_id` text NOT NULL,
	`user_id` text NOT NULL,
	`admitted_at_ms` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `user_id`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `channel_guests_user` ON `channel_guests` (`user_id`);--> statement-breakpoint
CREATE TABLE `channels` (
	`id` text PRIMARY KEY NOT NULL,
	`login` text NOT NULL,
	`display_name` text NOT NULL,
	`picture_url` text DEFAULT '' NOT NULL,
	`live` integer DEFAULT false NOT NULL,
	`stream_id` text,
	`stream_started_at_ms` integer,
	`went_offline_at_ms` integer,
	`game_name` text DEFAULT '' NOT NULL,
	`title` text DEFAULT '' NOT NULL,
	`last_seen_at_ms` integer NOT NULL,
	`watched_until_ms` integer,
	`follows_read_at_ms` integer,
	`subscribers_read_at_ms` integer,
	`subscribers_fault` text,
	`rolled_up_to_ms` integer,
	`chat_locale` text,
	`announces_promises` integer DEFAULT false NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `channels_login` ON `channels` (`login`);--> statement-breakpoint
CREATE INDEX `channels_live` ON `channels` (`live`);--> statement-breakpoint
CREATE INDEX `channels_to_roll_up` ON `channels` (`rolled_up_to_ms`) WHERE watched_until_ms >= rolled_up_to_ms;--> statement-breakpoint
CREATE TABLE `excluded_logins` (
	`channel_id` text NOT NULL,
	`login` text NOT NULL,
	`twitch_id` text,
	PRIMARY KEY(`channel_id`, `login`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `follows` (
	`channel_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`followed_at_ms` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `twitch_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `follows_viewer` ON `follows` (`twitch_id`);--> statement-breakpoint
CREATE TABLE `subscribers` (
	`channel_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`tier` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `twitch_id`),
	CONSTRAINT "subscribers_tier" CHECK("subscribers"."tier" between 1 and 3)
) STRICT;
--> statement-breakpoint
CREATE INDEX `subscribers_viewer` ON `subscribers` (`twitch_id`);--> statement-breakpoint
CREATE TABLE `watch_days` (
	`channel_id` text NOT NULL,
	`day_ms` integer NOT NULL,
	`twitch_id` text NOT NULL,
	`seconds` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `day_ms`, `twitch_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `watch_days_day` ON `watch_days` (`day_ms`,`channel_id`);--> statement-breakpoint
CREATE TABLE `watch_gaps` (
	`channel_id` text NOT NULL,
	`from_ms` integer NOT NULL,
	`until_ms` integer NOT NULL,
	`reason` text NOT NULL,
	PRIMARY KEY(`channel_id`, `from_ms`),
	CONSTRAINT "watch_gaps_reason" CHECK("watch_gaps"."reason" in ('notPolled', 'twitchUnavailable', 'permissionLost'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `watch_times` (
	`channel_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`seconds` integer NOT NULL,
	`next_check_seconds` integer NOT NULL,
	`rolled_seconds` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`channel_id`, `twitch_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `watch_times_due` ON `watch_times` (`channel_id`) WHERE "watch_times"."seconds" >= "watch_times"."next_check_seconds";--> statement-breakpoint
CREATE INDEX `watch_times_viewer` ON `watch_times` (`twitch_id`);--> statement-breakpoint
CREATE TABLE `contact_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`message` text NOT NULL,
	`locale` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`link_hash` text,
	`link_expires_at_ms` integer,
	`confirmed_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `contact_messages_user` ON `contact_messages` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `contact_messages_link` ON `contact_messages` (`link_hash`);--> statement-breakpoint
CREATE TABLE `draws` (
	`rule_id` text NOT NULL,
	`number` integer NOT NULL,
	`twitch_id` text NOT NULL,
	`candidates` text NOT NULL,
	`reward_id` text NOT NULL,
	`drawn_at_ms` integer NOT NULL,
	`previous_fingerprint` text NOT NULL,
	PRIMARY KEY(`rule_id`, `number`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `draws_reward` ON `draws` (`reward_id`);--> statement-breakpoint
CREATE TABLE `kind_weights` (
	`rule_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`market_hash_name` text NOT NULL,
	`weight` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `app_id`, `market_hash_name`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `items` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`bot_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`context_id` text NOT NULL,
	`asset_id` text NOT NULL,
	`class_id` text NOT NULL,
	`instance_id` text NOT NULL,
	`market_hash_name` text NOT NULL,
	`name` text NOT NULL,
	`icon_url` text DEFAULT '' NOT NULL,
	`type_line` text DEFAULT '' NOT NULL,
	`type_tag` text DEFAULT '' NOT NULL,
	`rarity_tag` text DEFAULT '' NOT NULL,
	`rarity_color` text DEFAULT '' NOT NULL,
	`exterior` text DEFAULT '' NOT NULL,
	`state` text NOT NULL,
	`locked_until_ms` integer NOT NULL,
	`depositor_steam_id` text NOT NULL,
	`received_at_ms` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bot_id`) REFERENCES `bots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "items_state" CHECK("items"."state" in ('held', 'outgoing', 'delivered', 'missing', 'gone'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `items_asset` ON `items` (`app_id`,`asset_id`) WHERE state in ('held', 'outgoing');--> statement-breakpoint
CREATE INDEX `items_owner` ON `items` (`owner_id`,`state`);--> statement-breakpoint
CREATE INDEX `items_custody` ON `items` (`owner_id`,`market_hash_name`,`app_id`,`state`,`locked_until_ms`,`id`) WHERE state in ('held', 'outgoing', 'missing');--> statement-breakpoint
CREATE INDEX `items_bot` ON `items` (`bot_id`,`state`);--> statement-breakpoint
CREATE TABLE `ledger_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`item_id` text NOT NULL,
	`from_holder` text NOT NULL,
	`to_holder` text NOT NULL,
	`cause` text NOT NULL,
	`transfer_id` text,
	`at_ms` integer NOT NULL,
	FOREIGN KEY (`item_id`) REFERENCES `items`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `ledger_entries_item` ON `ledger_entries` (`item_id`,`id`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `events_at` ON `events` (`at_ms`);--> statement-breakpoint
CREATE INDEX `events_user` ON `events` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`recipient` text NOT NULL,
	`template` text NOT NULL,
	`locale` text NOT NULL,
	`values` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`run_at_ms` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until_ms` integer DEFAULT 0 NOT NULL,
	`sent_at_ms` integer,
	`last_error` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`run_at_ms`) WHERE sent_at_ms is null;--> statement-breakpoint
CREATE INDEX `mails_created` ON `mails` (`created_at_ms`);--> statement-breakpoint
CREATE INDEX `mails_recipient` ON `mails` (`recipient`);--> statement-breakpoint
CREATE TABLE `custom_rewards` (
	`rule_id` text PRIMARY KEY NOT NULL,
	`channel_id` text NOT NULL,
	`twitch_reward_id` text,
	`state` text DEFAULT 'missing' NOT NULL,
	`fault` text,
	`retry_at_ms` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "custom_rewards_state" CHECK("custom_rewards"."state" in ('missing', 'enabled', 'paused', 'disabled', 'deleted'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `custom_rewards_twitch` ON `custom_rewards` (`twitch_reward_id`) WHERE twitch_reward_id is not null;--> statement-breakpoint
CREATE INDEX `custom_rewards_channel` ON `custom_rewards` (`channel_id`);--> statement-breakpoint
CREATE INDEX `custom_rewards_state` ON `custom_rewards` (`state`);--> statement-breakpoint
CREATE TABLE `redemptions` (
	`id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`reward_id` text,
	`state` text DEFAULT 'open' NOT NULL,
	`settlement` text,
	`refund_reason` text,
	`redeemed_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`run_at_ms` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`missed_polls` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "redemptions_state" CHECK("redemptions"."state" in ('open', 'fulfilled', 'refunded'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `redemptions_reward` ON `redemptions` (`reward_id`) WHERE reward_id is not null;--> statement-breakpoint
CREATE INDEX `redemptions_due` ON `redemptions` (`run_at_ms`) WHERE state = 'open' and settlement is not null;--> statement-breakpoint
CREATE INDEX `redemptions_open` ON `redemptions` (`rule_id`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `redemptions_rule` ON `redemptions` (`rule_id`,`twitch_id`);--> statement-breakpoint
CREATE INDEX `redemptions_viewer` ON `redemptions` (`twitch_id`);--> statement-breakpoint
CREATE TABLE `rewards` (
	`id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`item_id` text NOT NULL,
	`state` text DEFAULT 'free' NOT NULL,
	`position` text NOT NULL,
	`twitch_id` text,
	`user_id` text,
	`promised_at_ms` integer,
	`claim_until_ms` integer,
	`claim_shifted_ms` integer DEFAULT 0 NOT NULL,
	`steam_id` text,
	`claimed_at_ms` integer,
	`recall_reason` text,
	`unmet_condition` text,
	`created_at_ms` integer NOT NULL,
	`attached_at_ms` integer,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`item_id`) REFERENCES `items`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rewards_state" CHECK("rewards"."state" in ('free', 'promised', 'reserved', 'claimed', 'recalled')),
	CONSTRAINT "rewards_free_is_nobodys" CHECK(("rewards"."state" = 'free') <= ("rewards"."twitch_id" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `rewards_one_live_per_item` ON `rewards` (`item_id`) WHERE state in ('free', 'promised', 'reserved');--> statement-breakpoint
CREATE UNIQUE INDEX `rewards_one_promise_per_viewer` ON `rewards` (`rule_id`,`twitch_id`) WHERE twitch_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `rewards_one_claim_per_steam_id` ON `rewards` (`rule_id`,`steam_id`) WHERE steam_id is not null;--> statement-breakpoint
CREATE INDEX `rewards_free` ON `rewards` (`rule_id`,`position`) WHERE state = 'free';--> statement-breakpoint
CREATE INDEX `rewards_pending` ON `rewards` (`state`,`claim_until_ms`) WHERE state in ('promised', 'reserved');--> statement-breakpoint
CREATE INDEX `rewards_rule` ON `rewards` (`rule_id`,`state`);--> statement-breakpoint
CREATE INDEX `rewards_promises` ON `rewards` (`rule_id`,`promised_at_ms`,`id`) WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX `rewards_user` ON `rewards` (`user_id`,`state`,`promised_at_ms`,`id`);--> statement-breakpoint
CREATE TABLE `qualifications` (
	`rule_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`qualified_at_ms` integer NOT NULL,
	`tie_break` text NOT NULL,
	`promised_at_ms` integer,
	PRIMARY KEY(`rule_id`, `twitch_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `qualifications_viewer` ON `qualifications` (`twitch_id`,`rule_id`);--> statement-breakpoint
CREATE INDEX `qualifications_waiting` ON `qualifications` (`rule_id`,`qualified_at_ms`,`tie_break`) WHERE promised_at_ms is null;--> statement-breakpoint
CREATE TABLE `rules` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`pause_reason` text,
	`follow_days` integer,
	`watch_minutes` integer,
	`watch_scope` text DEFAULT 'sinceRule' NOT NULL,
	`subscriber_tier` integer,
	`points_cost` integer,
	`claim_timeout_hours` integer NOT NULL,
	`seed` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`closed_at_ms` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rules_state" CHECK("rules"."state" in ('open', 'paused', 'closed')),
	CONSTRAINT "rules_type" CHECK("rules"."type" in ('one', 'random')),
	CONSTRAINT "rules_has_condition" CHECK("rules"."follow_days" is not null or "rules"."watch_minutes" is not null or "rules"."subscriber_tier" is not null or "rules"."points_cost" is not null),
	CONSTRAINT "rules_subscriber_tier" CHECK("rules"."subscriber_tier" between 1 and 3),
	CONSTRAINT "rules_claim_timeout" CHECK("rules"."claim_timeout_hours" between 1 and 336)
) STRICT;
--> statement-breakpoint
CREATE INDEX `rules_channel` ON `rules` (`channel_id`,`state`);--> statement-breakpoint
CREATE INDEX `rules_state` ON `rules` (`state`,`channel_id`);--> statement-breakpoint
CREATE INDEX `rules_owner` ON `rules` (`owner_id`,`id`);--> statement-breakpoint
CREATE INDEX `rules_closed` ON `rules` (`closed_at_ms`) WHERE state = 'closed';--> statement-breakpoint
CREATE TABLE `watch_baselines` (
	`rule_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`seconds` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `twitch_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `transfer_items` (
	`transfer_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`context_id` text NOT NULL,
	`asset_id` text NOT NULL,
	`class_id` text NOT NULL,
	`instance_id` text NOT NULL,
	`market_hash_name` text NOT NULL,
	`name` text NOT NULL,
	`icon_url` text DEFAULT '' NOT NULL,
	`type_line` text DEFAULT '' NOT NULL,
	`type_tag` text DEFAULT '' NOT NULL,
	`rarity_tag` text DEFAULT '' NOT NULL,
	`rarity_color` text DEFAULT '' NOT NULL,
	`exterior` text DEFAULT '' NOT NULL,
	`item_id` text,
	`new_asset_id` text,
	`new_context_id` text,
	`open` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`transfer_id`, `app_id`, `asset_id`),
	FOREIGN KEY (`transfer_id`) REFERENCES `transfers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`item_id`) REFERENCES `items`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `transfer_items_one_open_offer_per_asset` ON `transfer_items` (`app_id`,`asset_id`) WHERE "transfer_items"."open";--> statement-breakpoint
CREATE INDEX `transfer_items_item` ON `transfer_items` (`item_id`);--> statement-breakpoint
CREATE TABLE `transfer_steps` (
	`id` text PRIMARY KEY NOT NULL,
	`transfer_id` text NOT NULL,
	`state` text NOT NULL,
	`event` text NOT NULL,
	`detail` text,
	`at_ms` integer NOT NULL,
	FOREIGN KEY (`transfer_id`) REFERENCES `transfers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `transfer_steps_transfer` ON `transfer_steps` (`transfer_id`,`id`);--> statement-breakpoint
CREATE TABLE `transfers` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`state` text DEFAULT 'queued' NOT NULL,
	`user_id` text NOT NULL,
	`bot_id` text NOT NULL,
	`reward_id` text,
	`partner_steam_id` text NOT NULL,
	`trade_token` text NOT NULL,
	`security_code` text NOT NULL,
	`offer_id` text,
	`trade_id` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`run_at_ms` integer NOT NULL,
	`lease_holder` text,
	`lease_until_ms` integer DEFAULT 0 NOT NULL,
	`clean_polls` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`sent_at_ms` integer,
	`expires_at_ms` integer,
	`cancel_at_ms` integer,
	`cancel_wanted` integer DEFAULT false NOT NULL,
	`accepted_at_ms` integer,
	`settles_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bot_id`) REFERENCES `bots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfers_state" CHECK("transfers"."state" in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed', 'accepted', 'settled', 'reversed', 'declined', 'expired', 'cancelled', 'failed')),
	CONSTRAINT "transfers_kind" CHECK("transfers"."kind" in ('deposit', 'return', 'claim'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `transfers_one_live_per_reward` ON `transfers` (`reward_id`) WHERE reward_id is not null and state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE UNIQUE INDEX `transfers_offer` ON `transfers` (`offer_id`) WHERE offer_id is not null;--> statement-breakpoint
CREATE INDEX `transfers_due` ON `transfers` (`bot_id`,`state`,`run_at_ms`) WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX `transfers_settling` ON `transfers` (`bot_id`,`settles_at_ms`) WHERE state = 'accepted';--> statement-breakpoint
CREATE INDEX `transfers_user` ON `transfers` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `transfers_user_live` ON `transfers` (`user_id`) WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX `transfers_reward` ON `transfers` (`reward_id`,`id`) WHERE reward_id is not null;--> statement-breakpoint
CREATE TABLE `chat_announcements` (
	`id` text PRIMARY KEY NOT NULL,
	`channel_id` text NOT NULL,
	`names` text NOT NULL,
	`others` integer NOT NULL,
	`rule_name` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `chat_announcements_channel` ON `chat_announcements` (`channel_id`,`id`);--> statement-breakpoint
CREATE TABLE `conduits` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `seen_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`seen_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `seen_messages_at` ON `seen_messages` (`seen_at_ms`);--> statement-breakpoint
CREATE TABLE `email_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`email` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "email_tokens_purpose" CHECK("email_tokens"."purpose" in ('verify', 'reset', 'change'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `email_tokens_user` ON `email_tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`created_at_ms` integer NOT NULL,
	`last_seen_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_end` ON `sessions` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`password_hash` text,
	`email_verified_at_ms` integer,
	`locale` text DEFAULT 'en' NOT NULL,
	`theme` text DEFAULT 'system' NOT NULL,
	`notify_by_mail` integer DEFAULT true NOT NULL,
	`created_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	CONSTRAINT "users_locale" CHECK("users"."locale" in ('en', 'ru'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (lower("email"));--> statement-breakpoint
CREATE TRIGGER `ledger_entries_no_update` BEFORE UPDATE ON `ledger_entries` BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_entries_no_delete` BEFORE DELETE ON `ledger_entries` BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
