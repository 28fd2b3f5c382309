ALTER TABLE `items` ADD `trait_icons` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `transfer_items` ADD `trait_icons` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `unknown_assets` ADD `trait_icons` text DEFAULT '' NOT NULL;