CREATE TABLE `custody_drifts` (
	`item_id` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`rebuilt` text,
	`found_at_ms` integer NOT NULL,
	FOREIGN KEY (`item_id`) REFERENCES `items`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
