ALTER TABLE `channels` ADD `hidden` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `rewards` ADD `owner_id` text REFERENCES users(id);--> statement-breakpoint
ALTER TABLE `rewards` ADD `channel_id` text REFERENCES channels(id);--> statement-breakpoint
UPDATE `rewards` SET `owner_id` = (SELECT `owner_id` FROM `rules` WHERE `rules`.`id` = `rewards`.`rule_id`), `channel_id` = (SELECT `channel_id` FROM `rules` WHERE `rules`.`id` = `rewards`.`rule_id`);--> statement-breakpoint
CREATE INDEX `rewards_owner_promises` ON `rewards` (`owner_id`,`promised_at_ms`,`id`) WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX `rewards_channel_promises` ON `rewards` (`channel_id`,`promised_at_ms`,`id`) WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX `rewards_user_promises` ON `rewards` (`user_id`,`promised_at_ms`,`id`) WHERE twitch_id is not null;--> statement-breakpoint
ALTER TABLE `users` ADD `hides_name` integer DEFAULT false NOT NULL;