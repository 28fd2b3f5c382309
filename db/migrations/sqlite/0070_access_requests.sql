CREATE TABLE `access_requests` (
	`device_code_hash` text PRIMARY KEY NOT NULL,
	`user_code_hash` text NOT NULL,
	`program` text NOT NULL,
	`state` text DEFAULT 'waiting' NOT NULL,
	`user_id` text,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`pause_ms` integer NOT NULL,
	`asked_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `access_requests_user_code` ON `access_requests` (`user_code_hash`);--> statement-breakpoint
CREATE INDEX `access_requests_user` ON `access_requests` (`user_id`);--> statement-breakpoint
CREATE INDEX `access_requests_end` ON `access_requests` (`expires_at_ms`);--> statement-breakpoint
ALTER TABLE `push_devices` ADD `browser_hash` text;--> statement-breakpoint
CREATE INDEX `push_devices_browser` ON `push_devices` (`browser_hash`);