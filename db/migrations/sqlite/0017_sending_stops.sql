CREATE TABLE `sending_stops` (
	`id` text PRIMARY KEY NOT NULL,
	`stopped_at_ms` integer NOT NULL,
	`stopped_system_ms` integer NOT NULL,
	`stopped_by` text NOT NULL,
	`resumed_at_ms` integer,
	`resumed_by` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `sending_stops_open` ON `sending_stops` (`stopped_system_ms`) WHERE resumed_at_ms is null;