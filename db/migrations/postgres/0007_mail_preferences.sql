ALTER TABLE "users" ADD COLUMN "muted_mails" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "time_zone" text;