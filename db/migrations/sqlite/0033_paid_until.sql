PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`product` text NOT NULL,
	`tier` text NOT NULL,
	`period` text NOT NULL,
	`state` text NOT NULL,
	`anchor_ms` integer NOT NULL,
	`period_start_ms` integer NOT NULL,
	`period_end_ms` integer NOT NULL,
	`trial_until_ms` integer,
	`paid_until_ms` integer,
	`failed_at_ms` integer,
	`grace_until_ms` integer,
	`ends_at_ms` integer,
	`next_tier` text,
	`next_period` text,
	`next_at_ms` integer,
	`price` integer,
	`next_price` integer,
	`currency` text,
	`problem` text,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "subscriptions_product" CHECK("__new_subscriptions"."product" in ('streamer', 'viewer')),
	CONSTRAINT "subscriptions_tier" CHECK("__new_subscriptions"."tier" in ('basic', 'expert', 'pro')),
	CONSTRAINT "subscriptions_period" CHECK("__new_subscriptions"."period" in ('month', 'year')),
	CONSTRAINT "subscriptions_state" CHECK("__new_subscriptions"."state" in ('trialing', 'active', 'grace', 'ending', 'covered', 'ended'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_subscriptions`("id", "user_id", "product", "tier", "period", "state", "anchor_ms", "period_start_ms", "period_end_ms", "trial_until_ms", "paid_until_ms", "failed_at_ms", "grace_until_ms", "ends_at_ms", "next_tier", "next_period", "next_at_ms", "price", "next_price", "currency", "problem", "created_at_ms") SELECT "id", "user_id", "product", "tier", "period", "state", "anchor_ms", "period_start_ms", "period_end_ms", "trial_until_ms", case when "state" in ('active', 'ending') then "period_end_ms" end, case when "state" = 'grace' then "period_start_ms" end, "grace_until_ms", "ends_at_ms", "next_tier", "next_period", "next_at_ms", "price", "next_price", "currency", "problem", "created_at_ms" FROM `subscriptions`;--> statement-breakpoint
DROP TABLE `subscriptions`;--> statement-breakpoint
ALTER TABLE `__new_subscriptions` RENAME TO `subscriptions`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_live` ON `subscriptions` (`user_id`,`product`) WHERE state in ('trialing', 'active', 'grace', 'ending');--> statement-breakpoint
CREATE INDEX `subscriptions_user` ON `subscriptions` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_plans` ON `subscriptions` (`user_id`,`product`) WHERE state in ('trialing', 'active', 'grace', 'ending', 'covered');--> statement-breakpoint
CREATE INDEX `subscriptions_grace` ON `subscriptions` (`grace_until_ms`) WHERE state = 'grace';--> statement-breakpoint
CREATE INDEX `subscriptions_listed` ON `subscriptions` (`id`) WHERE state in ('trialing', 'active', 'grace', 'ending');--> statement-breakpoint
ALTER TABLE `stripe_customers` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `stripe_customers` ADD `retry_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `stripe_events` ADD `occurred_at_ms` integer;--> statement-breakpoint
CREATE INDEX `stripe_events_failures` ON `stripe_events` (`object_id`) WHERE type = 'invoice.payment_failed';