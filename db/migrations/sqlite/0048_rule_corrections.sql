CREATE TABLE `rule_corrections` (
	`id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	`after_draw` integer NOT NULL,
	`before` text NOT NULL,
	`after` text NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `rule_corrections_rule` ON `rule_corrections` (`rule_id`,`id`);