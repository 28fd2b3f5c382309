ALTER TABLE "channels" ADD COLUMN "counted" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "watch_times" ADD COLUMN "since" bigint;--> statement-breakpoint
ALTER TABLE "watch_times" ADD COLUMN "cross_at" bigint;--> statement-breakpoint
UPDATE "watch_times" SET "cross_at" = 0 WHERE "seconds" >= "next_check_seconds";--> statement-breakpoint
DROP INDEX "watch_times_due";--> statement-breakpoint
CREATE INDEX "watch_times_cross" ON "watch_times" USING btree ("channel_id","cross_at") WHERE cross_at is not null;