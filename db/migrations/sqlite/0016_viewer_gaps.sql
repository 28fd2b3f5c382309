CREATE TABLE `viewer_gaps` (
	`channel_id` text NOT NULL,
	`twitch_id` text NOT NULL,
	`from_ms` integer NOT NULL,
	`until_ms` integer NOT NULL,
	PRIMARY KEY(`twitch_id`, `channel_id`, `from_ms`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `viewer_gaps_from` ON `viewer_gaps` (`from_ms`);--> statement-breakpoint
CREATE INDEX `viewer_gaps_channel` ON `viewer_gaps` (`channel_id`,`until_ms`);