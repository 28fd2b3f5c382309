CREATE TABLE `overlays` (
	`user_id` text PRIMARY KEY NOT NULL,
	`overlay_hash` text NOT NULL,
	`overlay_secret` text NOT NULL,
	`dock_hash` text NOT NULL,
	`dock_secret` text NOT NULL,
	`layout` text DEFAULT '{}' NOT NULL,
	`rule_id` text,
	`locale` text NOT NULL,
	`is_calm` integer DEFAULT false NOT NULL,
	`has_sound` integer DEFAULT false NOT NULL,
	`stopped_at_ms` integer,
	`test_id` text DEFAULT '' NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `overlays_overlay` ON `overlays` (`overlay_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `overlays_dock` ON `overlays` (`dock_hash`);