CREATE TABLE "sending_stops" (
	"id" text PRIMARY KEY NOT NULL,
	"stopped_at_ms" bigint NOT NULL,
	"stopped_system_ms" bigint NOT NULL,
	"stopped_by" text NOT NULL,
	"resumed_at_ms" bigint,
	"resumed_by" text
);
--> statement-breakpoint
CREATE INDEX "sending_stops_open" ON "sending_stops" USING btree ("stopped_system_ms") WHERE resumed_at_ms is null;