ALTER TABLE `transfers` ADD `silent_since_ms` integer;--> statement-breakpoint
CREATE INDEX `rewards_ended_item` ON `rewards` (`item_id`) WHERE state in ('claimed', 'recalled');