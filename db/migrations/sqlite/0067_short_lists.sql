ALTER TABLE `channels` ADD `chatters_short` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `chatters_short_since_ms` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `unread_reason` text;--> statement-breakpoint
ALTER TABLE `channels` ADD `unread_since_ms` integer;