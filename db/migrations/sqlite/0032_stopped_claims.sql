ALTER TABLE `rewards` ADD `stop_reason` text;--> statement-breakpoint
ALTER TABLE `rewards` ADD `stop_asked_at_ms` integer;--> statement-breakpoint
CREATE INDEX `rewards_channel_stopped` ON `rewards` (`channel_id`,`stop_reason`) WHERE recall_reason = 'stopped';--> statement-breakpoint
CREATE INDEX `rewards_rule_stopped` ON `rewards` (`rule_id`,`stop_reason`) WHERE recall_reason = 'stopped';