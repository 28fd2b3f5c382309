-- expands
ALTER TABLE "processes" ADD COLUMN "roles" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "processes" ADD COLUMN "address" text DEFAULT '' NOT NULL;