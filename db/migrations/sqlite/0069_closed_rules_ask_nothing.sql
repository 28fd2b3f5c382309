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
	`attended_streams` integer,
	`of_last_streams` integer,
	`claim_timeout_hours` integer NOT NULL,
	`send_delay_hours` integer DEFAULT 0 NOT NULL,
	`seed` text NOT NULL,
	`change_count` integer DEFAULT 0 NOT NULL,
	`changes_from_draw` integer DEFAULT 0 NOT NULL,
	`frozen_at_ms` integer,
	`paused_at_ms` integer,
	`resumes_at_ms` integer,
	`reminds_at_ms` integer,
	`check_after` text,
	`succeeds_id` text,
	`line_id` text,
	`created_at_ms` integer NOT NULL,
	`announced_at_ms` integer,
	`closed_at_ms` integer,
	`pruned_at_ms` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`succeeds_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`line_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rules_state" CHECK("__new_rules"."state" in ('open', 'paused', 'closed')),
	CONSTRAINT "rules_type" CHECK("__new_rules"."type" in ('one', 'random')),
	CONSTRAINT "rules_has_condition" CHECK("__new_rules"."follow_days" is not null or "__new_rules"."watch_minutes" is not null or "__new_rules"."attended_streams" is not null or "__new_rules"."subscriber_tier" is not null or "__new_rules"."points_cost" is not null or "__new_rules"."state" = 'closed'),
	CONSTRAINT "rules_subscriber_tier" CHECK("__new_rules"."subscriber_tier" between 1 and 3),
	CONSTRAINT "rules_attended_streams" CHECK("__new_rules"."attended_streams" between 1 and 50),
	CONSTRAINT "rules_of_last_streams" CHECK("__new_rules"."of_last_streams" between "__new_rules"."attended_streams" and 50),
	CONSTRAINT "rules_claim_timeout" CHECK("__new_rules"."claim_timeout_hours" between 1 and 336)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_rules`("id", "owner_id", "channel_id", "name", "type", "state", "pause_reason", "follow_days", "watch_minutes", "watch_scope", "subscriber_tier", "points_cost", "attended_streams", "of_last_streams", "claim_timeout_hours", "send_delay_hours", "seed", "change_count", "changes_from_draw", "frozen_at_ms", "paused_at_ms", "resumes_at_ms", "reminds_at_ms", "check_after", "succeeds_id", "line_id", "created_at_ms", "announced_at_ms", "closed_at_ms", "pruned_at_ms") SELECT "id", "owner_id", "channel_id", "name", "type", "state", "pause_reason", "follow_days", "watch_minutes", "watch_scope", "subscriber_tier", "points_cost", "attended_streams", "of_last_streams", "claim_timeout_hours", "send_delay_hours", "seed", "change_count", "changes_from_draw", "frozen_at_ms", "paused_at_ms", "resumes_at_ms", "reminds_at_ms", "check_after", "succeeds_id", "line_id", "created_at_ms", "announced_at_ms", "closed_at_ms", "pruned_at_ms" FROM `rules`;--> statement-breakpoint
DROP TABLE `rules`;--> statement-breakpoint
ALTER TABLE `__new_rules` RENAME TO `rules`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `rules_channel` ON `rules` (`channel_id`,`state`);--> statement-breakpoint
CREATE INDEX `rules_state` ON `rules` (`state`,`channel_id`);--> statement-breakpoint
CREATE INDEX `rules_owner` ON `rules` (`owner_id`,`id`);--> statement-breakpoint
CREATE INDEX `rules_owner_live` ON `rules` (`owner_id`,`id`) WHERE state in ('open', 'paused');--> statement-breakpoint
CREATE INDEX `rules_owner_frozen` ON `rules` (`owner_id`,`id`) WHERE frozen_at_ms is not null;--> statement-breakpoint
CREATE INDEX `rules_to_check` ON `rules` (`channel_id`) WHERE check_after is not null;--> statement-breakpoint
CREATE INDEX `rules_resuming` ON `rules` (`resumes_at_ms`) WHERE resumes_at_ms is not null;--> statement-breakpoint
CREATE INDEX `rules_reminding` ON `rules` (`reminds_at_ms`) WHERE reminds_at_ms is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `rules_one_successor` ON `rules` (`succeeds_id`) WHERE succeeds_id is not null;--> statement-breakpoint
CREATE INDEX `rules_to_prune` ON `rules` (`closed_at_ms`) WHERE closed_at_ms is not null and pruned_at_ms is null;--> statement-breakpoint
ALTER TABLE `raffles` ADD `announced_at_ms` integer;--> statement-breakpoint
UPDATE `raffles` SET `announced_at_ms` = `sealed_at_ms` WHERE `drawn_at_ms` IS NOT NULL AND `seal_line_id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `chat_announcements` WHERE `chat_announcements`.`id` = `raffles`.`seal_line_id`);--> statement-breakpoint
ALTER TABLE `raffles` DROP COLUMN `seal_line_id`;--> statement-breakpoint
UPDATE `rules` SET `watch_minutes` = null WHERE `watch_minutes` = 0 AND `id` IN (SELECT `rule_id` FROM `raffles`);