ALTER TABLE `watch_times` ADD `since` integer;--> statement-breakpoint
ALTER TABLE `watch_times` ADD `cross_at` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `counted` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `channels` ADD `version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `watch_times` SET `cross_at` = 0 WHERE `seconds` >= `next_check_seconds`;--> statement-breakpoint
DROP INDEX `watch_times_due`;--> statement-breakpoint
CREATE INDEX `watch_times_cross` ON `watch_times` (`channel_id`,`cross_at`) WHERE cross_at is not null;