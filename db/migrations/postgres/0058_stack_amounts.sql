ALTER TABLE "items" ADD COLUMN "amount" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_items" ADD COLUMN "amount" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "unknown_assets" ADD COLUMN "amount" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX "items_stacks" ON "items" USING btree ("bot_id","app_id","class_id") WHERE amount > 1 and state in ('held', 'outgoing', 'missing', 'delivered');