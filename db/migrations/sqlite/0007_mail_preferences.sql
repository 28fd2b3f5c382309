ALTER TABLE `users` ADD `muted_mails` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `time_zone` text;