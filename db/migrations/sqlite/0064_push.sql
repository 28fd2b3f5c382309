CREATE TABLE `push_devices` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`endpoint_hash` text NOT NULL,
	`subscription` text NOT NULL,
	`host` text NOT NULL,
	`public_key` text NOT NULL,
	`session_hash` text,
	`user_agent` text DEFAULT '' NOT NULL,
	`muted_events` text DEFAULT '' NOT NULL,
	`created_at_ms` integer NOT NULL,
	`last_sent_at_ms` integer,
	`ended_at_ms` integer,
	`ending` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `push_devices_endpoint` ON `push_devices` (`endpoint_hash`);--> statement-breakpoint
CREATE INDEX `push_devices_user` ON `push_devices` (`user_id`);--> statement-breakpoint
CREATE INDEX `push_devices_session` ON `push_devices` (`session_hash`);--> statement-breakpoint
CREATE TABLE `push_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key` text NOT NULL,
	`created_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `pushes` (
	`id` text PRIMARY KEY NOT NULL,
	`device_id` text NOT NULL,
	`host` text NOT NULL,
	`event` text NOT NULL,
	`reward_id` text NOT NULL,
	`subject_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`run_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until_ms` integer DEFAULT 0 NOT NULL,
	`ended_at_ms` integer,
	`outcome` text,
	`last_error` text,
	FOREIGN KEY (`device_id`) REFERENCES `push_devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pushes_once` ON `pushes` (`device_id`,`event`,`subject_id`);--> statement-breakpoint
CREATE INDEX `pushes_due` ON `pushes` (`host`,`run_at_ms`) WHERE ended_at_ms is null;--> statement-breakpoint
CREATE INDEX `pushes_next` ON `pushes` (`run_at_ms`,`host`,`lease_until_ms`) WHERE ended_at_ms is null;--> statement-breakpoint
CREATE INDEX `pushes_ended` ON `pushes` (`ended_at_ms`) WHERE ended_at_ms is not null;