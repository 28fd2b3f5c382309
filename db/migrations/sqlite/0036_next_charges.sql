ALTER TABLE `subscriptions` ADD `next_charge` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `next_charge_at_ms` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `is_payment_under_way` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `is_paused` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `paused_until_ms` integer;