CREATE TABLE "viewer_gaps" (
	"channel_id" text NOT NULL,
	"twitch_id" text NOT NULL,
	"from_ms" bigint NOT NULL,
	"until_ms" bigint NOT NULL,
	CONSTRAINT "viewer_gaps_twitch_id_channel_id_from_ms_pk" PRIMARY KEY("twitch_id","channel_id","from_ms")
);
--> statement-breakpoint
CREATE INDEX "viewer_gaps_from" ON "viewer_gaps" USING btree ("from_ms");--> statement-breakpoint
CREATE INDEX "viewer_gaps_channel" ON "viewer_gaps" USING btree ("channel_id","until_ms");