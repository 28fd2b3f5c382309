CREATE TABLE `raffle_checkpoints` (
	`raffle_id` text NOT NULL,
	`number` integer NOT NULL,
	`hash` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`raffle_id`, `number`),
	FOREIGN KEY (`raffle_id`) REFERENCES `raffles`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `raffle_entries` (
	`raffle_id` text NOT NULL,
	`number` integer NOT NULL,
	`twitch_id` text NOT NULL,
	`name` text,
	`entered_at_ms` integer NOT NULL,
	`place` integer,
	`place_state` text,
	`held_until_ms` integer,
	`pass_reason` text,
	`reward_id` text,
	PRIMARY KEY(`raffle_id`, `number`),
	FOREIGN KEY (`raffle_id`) REFERENCES `raffles`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reward_id`) REFERENCES `rewards`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `raffle_entries_once` ON `raffle_entries` (`raffle_id`,`twitch_id`);--> statement-breakpoint
CREATE INDEX `raffle_entries_viewer` ON `raffle_entries` (`twitch_id`);--> statement-breakpoint
CREATE INDEX `raffle_entries_places` ON `raffle_entries` (`raffle_id`,`place`) WHERE place is not null;--> statement-breakpoint
CREATE INDEX `raffle_entries_held` ON `raffle_entries` (`raffle_id`,`place`) WHERE place_state = 'held';--> statement-breakpoint
CREATE TABLE `raffles` (
	`id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`owner_id` text NOT NULL,
	`state` text DEFAULT 'prepared' NOT NULL,
	`keyword` text NOT NULL,
	`keyword_key` text NOT NULL,
	`winners` integer NOT NULL,
	`length_ms` integer NOT NULL,
	`winners_out_days` integer NOT NULL,
	`moderators_may_enter` integer NOT NULL,
	`seed` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`started_at_ms` integer,
	`planned_end_ms` integer,
	`terms` text,
	`ends_at_ms` integer,
	`entry_count` integer DEFAULT 0 NOT NULL,
	`list_hash` text,
	`sealed_at_ms` integer,
	`seal_line_id` text,
	`drawn_at_ms` integer,
	`ended_at_ms` integer,
	`end_reason` text,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "raffles_state" CHECK("raffles"."state" in ('prepared', 'running', 'sealed', 'drawn', 'over', 'cancelled')),
	CONSTRAINT "raffles_winners" CHECK("raffles"."winners" between 1 and 25)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `raffles_rule` ON `raffles` (`rule_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `raffles_one_live` ON `raffles` (`channel_id`) WHERE state in ('prepared', 'running', 'sealed');--> statement-breakpoint
CREATE INDEX `raffles_moving` ON `raffles` (`state`,`ends_at_ms`) WHERE state in ('running', 'sealed', 'drawn');--> statement-breakpoint
CREATE INDEX `raffles_channel` ON `raffles` (`channel_id`,`id`);--> statement-breakpoint
CREATE INDEX `raffles_owner` ON `raffles` (`owner_id`,`id`);--> statement-breakpoint
ALTER TABLE `chat_announcements` ADD `raffle` text;