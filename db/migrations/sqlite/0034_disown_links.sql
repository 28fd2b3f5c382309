PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_email_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`email` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "email_tokens_purpose" CHECK("__new_email_tokens"."purpose" in ('verify', 'reset', 'change', 'disown'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_email_tokens`("token_hash", "user_id", "purpose", "email", "expires_at_ms", "used_at_ms") SELECT "token_hash", "user_id", "purpose", "email", "expires_at_ms", "used_at_ms" FROM `email_tokens`;--> statement-breakpoint
DROP TABLE `email_tokens`;--> statement-breakpoint
ALTER TABLE `__new_email_tokens` RENAME TO `email_tokens`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `email_tokens_user` ON `email_tokens` (`user_id`);--> statement-breakpoint
CREATE INDEX `email_tokens_end` ON `email_tokens` (`expires_at_ms`);