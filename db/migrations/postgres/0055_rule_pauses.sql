ALTER TABLE "rules" ADD COLUMN "paused_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "resumes_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "reminds_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "rules_resuming" ON "rules" USING btree ("resumes_at_ms") WHERE resumes_at_ms is not null;--> statement-breakpoint
CREATE INDEX "rules_reminding" ON "rules" USING btree ("reminds_at_ms") WHERE reminds_at_ms is not null;