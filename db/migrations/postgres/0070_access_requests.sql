CREATE TABLE "access_requests" (
	"device_code_hash" text PRIMARY KEY NOT NULL,
	"user_code_hash" text NOT NULL,
	"program" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"user_id" text,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"pause_ms" bigint NOT NULL,
	"asked_at_ms" bigint
);
--> statement-breakpoint
ALTER TABLE "push_devices" ADD COLUMN "browser_hash" text;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_requests_user_code" ON "access_requests" USING btree ("user_code_hash");--> statement-breakpoint
CREATE INDEX "access_requests_user" ON "access_requests" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "access_requests_end" ON "access_requests" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE INDEX "push_devices_browser" ON "push_devices" USING btree ("browser_hash");