ALTER TABLE `chat_accounts` ADD `lease_holder` text;--> statement-breakpoint
ALTER TABLE `chat_accounts` ADD `lease_until_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `channels` ADD `follows_read_at_ms` integer;--> statement-breakpoint
ALTER TABLE `rewards` ADD `unmet_condition` text;