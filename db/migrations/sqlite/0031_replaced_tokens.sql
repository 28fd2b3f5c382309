ALTER TABLE `sessions` ADD `replaced_hash` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `rotated_at_ms` integer;--> statement-breakpoint
CREATE INDEX `sessions_replaced` ON `sessions` (`replaced_hash`);