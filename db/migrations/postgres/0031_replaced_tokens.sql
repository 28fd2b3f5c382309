ALTER TABLE "sessions" ADD COLUMN "replaced_hash" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "rotated_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "sessions_replaced" ON "sessions" USING btree ("replaced_hash");--> statement-breakpoint
UPDATE "sessions" SET "expires_at_ms" = least("expires_at_ms", "created_at_ms" + 15552000000);