-- expands
ALTER TABLE `processes` ADD `roles` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `processes` ADD `address` text DEFAULT '' NOT NULL;