ALTER TABLE `transfers` ADD `unclear` text;--> statement-breakpoint
ALTER TABLE `transfers` ADD `unclear_since_ms` integer;--> statement-breakpoint
CREATE INDEX `transfers_unclear` ON `transfers` (`bot_id`,`unclear_since_ms`) WHERE unclear_since_ms is not null;