CREATE TABLE `outages` (
	`id` text PRIMARY KEY NOT NULL,
	`ended_at_ms` integer NOT NULL,
	`lasted_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
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
CREATE TABLE `excluded_logins` (
	`channel_id` text NOT NULL,
	`login` text NOT NULL,
	`twitch_id` text,
	PRIMARY KEY(`channel_id`, `login`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `subscribers` (
	`channel_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`tier` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `twitch_id`),
	CONSTRAINT "subscribers_tier" CHECK("subscribers"."tier" between 1 and 3)
) STRICT;
--> statement-breakpoint
CREATE TABLE `watch_days` (
	`channel_id` text NOT NULL,
	`day_ms` integer NOT NULL,
	`twitch_id` text NOT NULL,
	`seconds` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `day_ms`, `twitch_id`)
) STRICT;
--> statement-breakpoint
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
CREATE TABLE `redemptions` (
	`id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`reward_id` text,
	`state` text DEFAULT 'open' NOT NULL,
	`wish` text,
	`refund_reason` text,
	`redeemed_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`run_at_ms` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`missed_looks` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "redemptions_state" CHECK("redemptions"."state" in ('open', 'fulfilled', 'refunded'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `redemptions_reward` ON `redemptions` (`reward_id`) WHERE reward_id is not null;--> statement-breakpoint
CREATE INDEX `redemptions_due` ON `redemptions` (`run_at_ms`) WHERE state = 'open' and wish is not null;--> statement-breakpoint
CREATE INDEX `redemptions_rule` ON `redemptions` (`rule_id`,`twitch_id`);--> statement-breakpoint
CREATE TABLE `chat_news` (
	`id` text PRIMARY KEY NOT NULL,
	`channel_id` text NOT NULL,
	`names` text NOT NULL,
	`others` integer NOT NULL,
	`rule_name` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `chat_news_channel` ON `chat_news` (`channel_id`,`id`);--> statement-breakpoint
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
ALTER TABLE `channels` ADD `subscribers_read_at_ms` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `subscribers_fault` text;--> statement-breakpoint
ALTER TABLE `channels` ADD `rolled_up_to_ms` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `chat_locale` text;--> statement-breakpoint
ALTER TABLE `channels` ADD `announces_promises` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `watch_times` ADD `rolled_seconds` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `rewards` ADD `claim_shifted_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `rules` ADD `subscriber_tier` integer;--> statement-breakpoint
ALTER TABLE `rules` ADD `points_cost` integer;