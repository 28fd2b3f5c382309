ALTER TABLE "items" ADD COLUMN "wear" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_items" ADD COLUMN "wear" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "unknown_assets" ADD COLUMN "wear" text DEFAULT '' NOT NULL;