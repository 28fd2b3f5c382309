CREATE TABLE `bot_capacities` (
	`bot_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`capacity` integer NOT NULL,
	PRIMARY KEY(`bot_id`, `app_id`),
	FOREIGN KEY (`bot_id`) REFERENCES `bots`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
DROP INDEX `items_bot`;--> statement-breakpoint
CREATE INDEX `items_bot` ON `items` (`bot_id`,`state`,`app_id`);