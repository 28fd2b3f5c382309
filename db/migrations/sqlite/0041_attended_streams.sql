CREATE TABLE `attendances` (
	`channel_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`streams` integer NOT NULL,
	`stream_number` integer NOT NULL,
	`from_seconds` integer NOT NULL,
	`attended` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `twitch_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `attendances_viewer` ON `attendances` (`twitch_id`);--> statement-breakpoint
CREATE TABLE `stamps` (
	`channel_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`number` integer NOT NULL,
	`stream_number` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `twitch_id`, `number`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `attendance_baselines` (
	`rule_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`streams` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `twitch_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
ALTER TABLE `channels` ADD `stream_number` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `rules` ADD `attended_streams` integer;--> statement-breakpoint
ALTER TABLE `rules` ADD `of_last_streams` integer;