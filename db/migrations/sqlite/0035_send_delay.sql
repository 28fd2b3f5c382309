ALTER TABLE `rules` ADD `send_delay_hours` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `transfers` ADD `sends_from_ms` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `send_delay_hours` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `next_send_delay_hours` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `next_send_delay_at_ms` integer;