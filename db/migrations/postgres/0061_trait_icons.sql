ALTER TABLE "items" ADD COLUMN "trait_icons" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_items" ADD COLUMN "trait_icons" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "unknown_assets" ADD COLUMN "trait_icons" text DEFAULT '' NOT NULL;