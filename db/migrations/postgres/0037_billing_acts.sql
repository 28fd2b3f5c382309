CREATE TABLE "billing_acts" (
	"kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"user_id" text NOT NULL,
	"why" text,
	"state" text DEFAULT 'due' NOT NULL,
	"attempt" bigint DEFAULT 1 NOT NULL,
	"failures" bigint DEFAULT 0 NOT NULL,
	"last_error" text,
	"wanted_at_ms" bigint NOT NULL,
	"next_at_ms" bigint NOT NULL,
	"ended_at_ms" bigint,
	CONSTRAINT "billing_acts_kind_subject_id_pk" PRIMARY KEY("kind","subject_id"),
	CONSTRAINT "billing_acts_kind" CHECK ("billing_acts"."kind" in ('refund', 'cancel', 'release', 'void', 'expire')),
	CONSTRAINT "billing_acts_state" CHECK ("billing_acts"."state" in ('due', 'done', 'withdrawn', 'abandoned')),
	CONSTRAINT "billing_acts_why" CHECK ("billing_acts"."why" in ('duplicate', 'accountDeleted'))
);
--> statement-breakpoint
ALTER TABLE "billing_acts" ADD CONSTRAINT "billing_acts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "billing_acts_due" ON "billing_acts" USING btree ("next_at_ms") WHERE state = 'due';--> statement-breakpoint
CREATE INDEX "billing_acts_user" ON "billing_acts" USING btree ("user_id") WHERE state = 'due';--> statement-breakpoint
CREATE INDEX "billing_acts_of_user" ON "billing_acts" USING btree ("user_id","wanted_at_ms");--> statement-breakpoint
CREATE INDEX "billing_acts_stuck" ON "billing_acts" USING btree ("wanted_at_ms") WHERE state in ('due', 'abandoned');--> statement-breakpoint
CREATE INDEX "billing_acts_ended" ON "billing_acts" USING btree ("ended_at_ms") WHERE state in ('done', 'withdrawn', 'abandoned');