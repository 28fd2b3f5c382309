CREATE TABLE `alarms` (
	`key` text PRIMARY KEY NOT NULL,
	`mailed_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `price` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `next_price` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `currency` text;