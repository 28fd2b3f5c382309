ALTER TABLE "bots" ADD COLUMN "profile_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "picture_url" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "steam_level" bigint;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "steam_since_ms" bigint;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "delivered" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "reversed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "profile_read_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "transfers_delivered_claims" ON "transfers" USING btree ("bot_id","state") WHERE kind = 'claim' and state in ('accepted', 'settled', 'reversed');