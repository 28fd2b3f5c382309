PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`pause_reason` text,
	`follow_days` integer,
	`watch_minutes` integer,
	`watch_scope` text DEFAULT 'sinceRule' NOT NULL,
	`subscriber_tier` integer,
	`points_cost` integer,
	`claim_timeout_hours` integer NOT NULL,
	`seed` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`closed_at_ms` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rules_state" CHECK("__new_rules"."state" in ('open', 'paused', 'closed')),
	CONSTRAINT "rules_type" CHECK("__new_rules"."type" in ('one', 'random')),
	CONSTRAINT "rules_has_condition" CHECK("__new_rules"."follow_days" is not null or "__new_rules"."watch_minutes" is not null or "__new_rules"."subscriber_tier" is not null or "__new_rules"."points_cost" is not null),
	CONSTRAINT "rules_subscriber_tier" CHECK("__new_rules"."subscriber_tier" between 1 and 3),
	CONSTRAINT "rules_claim_timeout" CHECK("__new_rules"."claim_timeout_hours" between 1 and 336)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_rules`("id", "owner_id", "channel_id", "name", "type", "state", "pause_reason", "follow_days", "watch_minutes", "watch_scope", "subscriber_tier", "points_cost", "claim_timeout_hours", "seed", "created_at_ms", "closed_at_ms") SELECT "id", "owner_id", "channel_id", "name", "type", "state", "pause_reason", "follow_days", "watch_minutes", "watch_scope", "subscriber_tier", "points_cost", "claim_timeout_hours", "seed", "created_at_ms", "closed_at_ms" FROM `rules`;--> statement-breakpoint
DROP TABLE `rules`;--> statement-breakpoint
ALTER TABLE `__new_rules` RENAME TO `rules`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `rules_channel` ON `rules` (`channel_id`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `rules_owner` ON `rules` (`owner_id`);