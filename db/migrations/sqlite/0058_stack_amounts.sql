ALTER TABLE `items` ADD `amount` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `items_stacks` ON `items` (`bot_id`,`app_id`,`class_id`) WHERE amount > 1 and state in ('held', 'outgoing', 'missing', 'delivered');--> statement-breakpoint
ALTER TABLE `transfer_items` ADD `amount` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `unknown_assets` ADD `amount` integer DEFAULT 1 NOT NULL;