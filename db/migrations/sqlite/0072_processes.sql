-- expands
CREATE TABLE `processes` (
	`id` text PRIMARY KEY NOT NULL,
	`role` text NOT NULL,
	`version` text NOT NULL,
	`schema` integer NOT NULL,
	`until_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `__drizzle_migrations` ADD `expands` integer DEFAULT false NOT NULL;
