ALTER TABLE `channels` ADD `looked_until_ms` integer;--> statement-breakpoint
ALTER TABLE `viewer_gaps` ADD `reason` text DEFAULT 'watchedElsewhere' NOT NULL;--> statement-breakpoint
ALTER TABLE `watch_times` ADD `counted_until_ms` integer;