CREATE TABLE `open_streams` (
	`key` text NOT NULL,
	`process` text NOT NULL,
	`streams` integer NOT NULL,
	`until_ms` integer NOT NULL,
	PRIMARY KEY(`key`, `process`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `open_streams_end` ON `open_streams` (`until_ms`);--> statement-breakpoint
CREATE TABLE `sharers` (
	`holder` text PRIMARY KEY NOT NULL,
	`until_ms` integer NOT NULL,
	`address` text NOT NULL,
	`version` text NOT NULL
) STRICT;
