ALTER TABLE `contact_messages` ADD `link_hash` text;--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `link_expires_at_ms` integer;--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `confirmed_at_ms` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `contact_messages_link` ON `contact_messages` (`link_hash`);