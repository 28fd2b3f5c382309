CREATE TABLE "unknown_assets" (
	"bot_id" text NOT NULL,
	"app_id" bigint NOT NULL,
	"context_id" text NOT NULL,
	"asset_id" text NOT NULL,
	"class_id" text NOT NULL,
	"instance_id" text NOT NULL,
	"market_hash_name" text NOT NULL,
	"name" text NOT NULL,
	"icon_url" text DEFAULT '' NOT NULL,
	"type_line" text DEFAULT '' NOT NULL,
	"type_tag" text DEFAULT '' NOT NULL,
	"rarity_tag" text DEFAULT '' NOT NULL,
	"rarity_color" text DEFAULT '' NOT NULL,
	"exterior" text DEFAULT '' NOT NULL,
	"first_seen_at_ms" bigint NOT NULL,
	"last_seen_at_ms" bigint NOT NULL,
	"set_aside_at_ms" bigint,
	CONSTRAINT "unknown_assets_bot_id_app_id_asset_id_pk" PRIMARY KEY("bot_id","app_id","asset_id")
);
--> statement-breakpoint
ALTER TABLE "unknown_assets" ADD CONSTRAINT "unknown_assets_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;