CREATE TABLE "attendances" (
	"channel_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"streams" bigint NOT NULL,
	"stream_number" bigint NOT NULL,
	"from_seconds" bigint NOT NULL,
	"attended" boolean NOT NULL,
	CONSTRAINT "attendances_channel_id_twitch_id_pk" PRIMARY KEY("channel_id","twitch_id")
);
--> statement-breakpoint
CREATE TABLE "stamps" (
	"channel_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"number" bigint NOT NULL,
	"stream_number" bigint NOT NULL,
	CONSTRAINT "stamps_channel_id_twitch_id_number_pk" PRIMARY KEY("channel_id","twitch_id","number")
);
--> statement-breakpoint
CREATE TABLE "attendance_baselines" (
	"rule_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"streams" bigint NOT NULL,
	CONSTRAINT "attendance_baselines_rule_id_twitch_id_pk" PRIMARY KEY("rule_id","twitch_id")
);
--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "stream_number" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "attended_streams" bigint;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "of_last_streams" bigint;--> statement-breakpoint
ALTER TABLE "attendance_baselines" ADD CONSTRAINT "attendance_baselines_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attendances_viewer" ON "attendances" USING btree ("twitch_id");