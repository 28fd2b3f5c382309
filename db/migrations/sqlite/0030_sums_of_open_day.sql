ALTER TABLE `channels` ADD `open_watch_seconds` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `channels` ADD `open_live_seconds` integer DEFAULT 0 NOT NULL;