CREATE TABLE `self_tests` (
	`bot_id` text NOT NULL,
	`endpoint` text NOT NULL,
	`app_id` integer NOT NULL,
	`offers` text NOT NULL,
	`difference` text,
	`offer_id` text NOT NULL,
	`tested_at_ms` integer NOT NULL,
	`differs_since_ms` integer,
	PRIMARY KEY(`bot_id`, `endpoint`, `app_id`, `offers`),
	FOREIGN KEY (`bot_id`) REFERENCES `bots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "self_tests_endpoint" CHECK("self_tests"."endpoint" in ('list', 'offer', 'page', 'history', 'inventory')),
	CONSTRAINT "self_tests_offers" CHECK("self_tests"."offers" in ('open', 'accepted')),
	CONSTRAINT "self_tests_difference" CHECK("self_tests"."difference" in ('absent', 'state', 'contents'))
) STRICT;
