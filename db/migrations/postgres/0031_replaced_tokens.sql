ALTER TABLE "sessions" ADD COLUMN "replaced_hash" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "rotated_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "sessions_replaced" ON "sessions" USING btree ("replaced_hash");