CREATE TABLE `billing_acts` (
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`user_id` text NOT NULL,
	`why` text,
	`state` text DEFAULT 'due' NOT NULL,
	`attempt` integer DEFAULT 1 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`wanted_at_ms` integer NOT NULL,
	`next_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	PRIMARY KEY(`kind`, `subject_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "billing_acts_kind" CHECK("billing_acts"."kind" in ('refund', 'cancel', 'release', 'void', 'expire')),
	CONSTRAINT "billing_acts_state" CHECK("billing_acts"."state" in ('due', 'done', 'withdrawn', 'abandoned')),
	CONSTRAINT "billing_acts_why" CHECK("billing_acts"."why" in ('duplicate', 'accountDeleted'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `billing_acts_due` ON `billing_acts` (`next_at_ms`) WHERE state = 'due';--> statement-breakpoint
CREATE INDEX `billing_acts_user` ON `billing_acts` (`user_id`) WHERE state = 'due';--> statement-breakpoint
CREATE INDEX `billing_acts_of_user` ON `billing_acts` (`user_id`,`wanted_at_ms`);--> statement-breakpoint
CREATE INDEX `billing_acts_stuck` ON `billing_acts` (`wanted_at_ms`) WHERE state in ('due', 'abandoned');--> statement-breakpoint
CREATE INDEX `billing_acts_ended` ON `billing_acts` (`ended_at_ms`) WHERE state in ('done', 'withdrawn', 'abandoned');