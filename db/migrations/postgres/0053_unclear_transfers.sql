ALTER TABLE "transfers" ADD COLUMN "unclear" text;--> statement-breakpoint
ALTER TABLE "transfers" ADD COLUMN "unclear_since_ms" bigint;--> statement-breakpoint
CREATE INDEX "transfers_unclear" ON "transfers" USING btree ("bot_id","unclear_since_ms") WHERE unclear_since_ms is not null;