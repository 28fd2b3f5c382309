ALTER TABLE `rules` ADD `frozen_at_ms` integer;--> statement-breakpoint
CREATE INDEX `rules_owner_frozen` ON `rules` (`owner_id`,`id`) WHERE frozen_at_ms is not null;--> statement-breakpoint
ALTER TABLE `email_tokens` ADD `act_at_ms` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `frozen_at_ms` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `disowned_from_ms` integer;