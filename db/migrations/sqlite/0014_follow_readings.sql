ALTER TABLE `channels` ADD `follows_listed` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `follows_begun_at_ms` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `follows_cursor` text;--> statement-breakpoint
ALTER TABLE `follows` ADD `seen_at_ms` integer DEFAULT 0 NOT NULL;