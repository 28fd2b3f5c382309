ALTER TABLE `items` ADD `wear` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `transfer_items` ADD `wear` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `unknown_assets` ADD `wear` text DEFAULT '' NOT NULL;