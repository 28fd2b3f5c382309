CREATE TABLE `billing_switch` (
	`id` text PRIMARY KEY NOT NULL,
	`sells_plans` integer NOT NULL,
	`changed_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `checkouts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`product` text NOT NULL,
	`tier` text NOT NULL,
	`period` text NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`session_id` text,
	`trial_twitch_id` text,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "checkouts_state" CHECK("checkouts"."state" in ('open', 'completed', 'expired'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_open` ON `checkouts` (`user_id`,`product`) WHERE state = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_session` ON `checkouts` (`session_id`);--> statement-breakpoint
CREATE INDEX `checkouts_due` ON `checkouts` (`expires_at_ms`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `checkouts_created` ON `checkouts` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `stripe_customers` (
	`user_id` text PRIMARY KEY NOT NULL,
	`customer_id` text,
	`fetches_begun` integer DEFAULT 0 NOT NULL,
	`fetch_stored` integer DEFAULT 0 NOT NULL,
	`fetched_at_ms` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `stripe_customers_customer` ON `stripe_customers` (`customer_id`);--> statement-breakpoint
CREATE INDEX `stripe_customers_fetched` ON `stripe_customers` (`fetched_at_ms`,`user_id`) WHERE customer_id is not null;--> statement-breakpoint
CREATE TABLE `stripe_events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`customer_id` text,
	`object_id` text,
	`received_at_ms` integer NOT NULL,
	`handled_at_ms` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`retry_at_ms` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `stripe_events_due` ON `stripe_events` (`retry_at_ms`,`id`) WHERE handled_at_ms is null;--> statement-breakpoint
CREATE INDEX `stripe_events_received` ON `stripe_events` (`received_at_ms`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
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
	`grace_until_ms` integer,
	`ends_at_ms` integer,
	`next_tier` text,
	`next_period` text,
	`next_at_ms` integer,
	`problem` text,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "subscriptions_product" CHECK("subscriptions"."product" in ('streamer', 'viewer')),
	CONSTRAINT "subscriptions_tier" CHECK("subscriptions"."tier" in ('basic', 'expert', 'pro')),
	CONSTRAINT "subscriptions_period" CHECK("subscriptions"."period" in ('month', 'year')),
	CONSTRAINT "subscriptions_state" CHECK("subscriptions"."state" in ('trialing', 'active', 'grace', 'ending', 'ended'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_live` ON `subscriptions` (`user_id`,`product`) WHERE state in ('trialing', 'active', 'grace', 'ending');--> statement-breakpoint
CREATE INDEX `subscriptions_user` ON `subscriptions` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_grace` ON `subscriptions` (`grace_until_ms`) WHERE state = 'grace';--> statement-breakpoint
CREATE INDEX `subscriptions_listed` ON `subscriptions` (`id`) WHERE state in ('trialing', 'active', 'grace', 'ending');--> statement-breakpoint
CREATE TABLE `trials` (
	`twitch_id` text NOT NULL,
	`product` text NOT NULL,
	`checkout_id` text NOT NULL,
	`subscription_id` text,
	`taken_at_ms` integer NOT NULL,
	PRIMARY KEY(`twitch_id`, `product`),
	CONSTRAINT "trials_product" CHECK("trials"."product" in ('streamer', 'viewer'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `trials_checkout` ON `trials` (`checkout_id`);