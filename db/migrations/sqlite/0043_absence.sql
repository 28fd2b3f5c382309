ALTER TABLE `channels` ADD `repeat_id` text;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `missed_at_ms` integer;--> statement-breakpoint
ALTER TABLE `custom_rewards` ADD `missed_at_ms` integer;