ALTER TABLE `rules` ADD `paused_at_ms` integer;--> statement-breakpoint
ALTER TABLE `rules` ADD `resumes_at_ms` integer;--> statement-breakpoint
ALTER TABLE `rules` ADD `reminds_at_ms` integer;--> statement-breakpoint
CREATE INDEX `rules_resuming` ON `rules` (`resumes_at_ms`) WHERE resumes_at_ms is not null;--> statement-breakpoint
CREATE INDEX `rules_reminding` ON `rules` (`reminds_at_ms`) WHERE reminds_at_ms is not null;