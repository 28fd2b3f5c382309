CREATE TABLE "overlays" (
	"user_id" text PRIMARY KEY NOT NULL,
	"overlay_hash" text NOT NULL,
	"overlay_secret" text NOT NULL,
	"dock_hash" text NOT NULL,
	"dock_secret" text NOT NULL,
	"layout" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"rule_id" text,
	"locale" text NOT NULL,
	"is_calm" boolean DEFAULT false NOT NULL,
	"has_sound" boolean DEFAULT false NOT NULL,
	"stopped_at_ms" bigint,
	"test_id" text DEFAULT '' NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "overlays" ADD CONSTRAINT "overlays_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "overlays" ADD CONSTRAINT "overlays_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "overlays_overlay" ON "overlays" USING btree ("overlay_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "overlays_dock" ON "overlays" USING btree ("dock_hash");