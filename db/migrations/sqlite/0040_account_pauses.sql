ALTER TABLE `bots` ADD `refused_with` text;--> statement-breakpoint
ALTER TABLE `bots` ADD `refused_code` text;--> statement-breakpoint
ALTER TABLE `bots` ADD `refusals` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `refused_since_ms` integer;--> statement-breakpoint
ALTER TABLE `bots` ADD `refused_transfer_id` text;--> statement-breakpoint
ALTER TABLE `bots` ADD `send_paused_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `send_pause_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `log_on_paused_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `log_on_pause_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bots` ADD `log_on_failures` integer DEFAULT 0 NOT NULL;