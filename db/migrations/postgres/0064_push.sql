CREATE TABLE "push_devices" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"endpoint_hash" text NOT NULL,
	"subscription" text NOT NULL,
	"host" text NOT NULL,
	"public_key" text NOT NULL,
	"session_hash" text,
	"user_agent" text DEFAULT '' NOT NULL,
	"muted_events" text DEFAULT '' NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"last_sent_at_ms" bigint,
	"ended_at_ms" bigint,
	"ending" text
);
--> statement-breakpoint
CREATE TABLE "push_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"private_key" text NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pushes" (
	"id" text PRIMARY KEY NOT NULL,
	"device_id" text NOT NULL,
	"host" text NOT NULL,
	"event" text NOT NULL,
	"reward_id" text NOT NULL,
	"subject_id" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"run_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"lease_until_ms" bigint DEFAULT 0 NOT NULL,
	"ended_at_ms" bigint,
	"outcome" text,
	"last_error" text
);
--> statement-breakpoint
ALTER TABLE "push_devices" ADD CONSTRAINT "push_devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pushes" ADD CONSTRAINT "pushes_device_id_push_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."push_devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "push_devices_endpoint" ON "push_devices" USING btree ("endpoint_hash");--> statement-breakpoint
CREATE INDEX "push_devices_user" ON "push_devices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "push_devices_session" ON "push_devices" USING btree ("session_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "pushes_once" ON "pushes" USING btree ("device_id","event","subject_id");--> statement-breakpoint
CREATE INDEX "pushes_due" ON "pushes" USING btree ("host","run_at_ms") WHERE ended_at_ms is null;--> statement-breakpoint
CREATE INDEX "pushes_next" ON "pushes" USING btree ("run_at_ms","host","lease_until_ms") WHERE ended_at_ms is null;--> statement-breakpoint
CREATE INDEX "pushes_ended" ON "pushes" USING btree ("ended_at_ms") WHERE ended_at_ms is not null;