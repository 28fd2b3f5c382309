CREATE TABLE `pool_changes` (
	`id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`after_draw` integer NOT NULL,
	`at_ms` integer NOT NULL,
	`app_id` integer NOT NULL,
	`market_hash_name` text NOT NULL,
	`added` integer DEFAULT 0 NOT NULL,
	`weight_before` integer,
	`weight` integer,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `pool_changes_rule` ON `pool_changes` (`rule_id`,`after_draw`,`id`);