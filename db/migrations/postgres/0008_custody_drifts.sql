CREATE TABLE "custody_drifts" (
	"item_id" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"rebuilt" text,
	"found_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "custody_drifts" ADD CONSTRAINT "custody_drifts_item_id_items_id_fk" FOREIGN KEY ("item_id") REFERENCES "public"."items"("id") ON DELETE no action ON UPDATE no action;