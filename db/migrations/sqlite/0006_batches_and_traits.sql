DROP INDEX `items_custody`;--> statement-breakpoint
ALTER TABLE `items` ADD `traits` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `items_custody` ON `items` (`owner_id`,`market_hash_name`,`app_id`,`traits`,`state`,`locked_until_ms`,`id`) WHERE state in ('held', 'outgoing', 'missing');--> statement-breakpoint
ALTER TABLE `transfer_items` ADD `traits` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `transfers` ADD `batch_id` text;--> statement-breakpoint
ALTER TABLE `unknown_assets` ADD `traits` text DEFAULT '' NOT NULL;