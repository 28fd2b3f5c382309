ALTER TABLE `bots` ADD `profile_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `picture_url` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `steam_level` integer;--> statement-breakpoint
ALTER TABLE `bots` ADD `steam_since_ms` integer;--> statement-breakpoint
ALTER TABLE `bots` ADD `delivered` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `reversed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `profile_read_at_ms` integer;--> statement-breakpoint
CREATE INDEX `transfers_delivered_claims` ON `transfers` (`bot_id`,`state`) WHERE kind = 'claim' and state in ('accepted', 'settled', 'reversed');