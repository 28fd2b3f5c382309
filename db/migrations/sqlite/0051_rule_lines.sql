ALTER TABLE `rules` ADD `announced_at_ms` integer;--> statement-breakpoint
ALTER TABLE `chat_announcements` ADD `line` text;