ALTER TABLE `rules` ADD `check_after` text;--> statement-breakpoint
CREATE INDEX `rules_to_check` ON `rules` (`channel_id`) WHERE check_after is not null;