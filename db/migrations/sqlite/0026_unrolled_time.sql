DROP INDEX `channels_to_roll_up`;--> statement-breakpoint
ALTER TABLE `channels` ADD `has_unrolled_time` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `channels` SET `has_unrolled_time` = true WHERE `watched_until_ms` >= `rolled_up_to_ms`;--> statement-breakpoint
CREATE INDEX `channels_to_roll_up` ON `channels` (`rolled_up_to_ms`) WHERE has_unrolled_time;