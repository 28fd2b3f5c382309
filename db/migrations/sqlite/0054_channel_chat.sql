ALTER TABLE `channels` ADD `looked_people` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `looked_bots` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `viewers` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `viewers_read_at_ms` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `chat_fault_since_ms` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `chat_fault_mailed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `channels` ADD `chat_commands` text DEFAULT '{}' NOT NULL;