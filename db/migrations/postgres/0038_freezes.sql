ALTER TABLE "rules" ADD COLUMN "frozen_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "email_tokens" ADD COLUMN "act_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "frozen_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "disowned_from_ms" bigint;--> statement-breakpoint
CREATE INDEX "rules_owner_frozen" ON "rules" USING btree ("owner_id","id") WHERE frozen_at_ms is not null;