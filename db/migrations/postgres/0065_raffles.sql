CREATE TABLE "raffle_checkpoints" (
	"raffle_id" text NOT NULL,
	"number" bigint NOT NULL,
	"hash" text NOT NULL,
	"at_ms" bigint NOT NULL,
	CONSTRAINT "raffle_checkpoints_raffle_id_number_pk" PRIMARY KEY("raffle_id","number")
);
--> statement-breakpoint
CREATE TABLE "raffle_entries" (
	"raffle_id" text NOT NULL,
	"number" bigint NOT NULL,
	"twitch_id" text NOT NULL,
	"name" text,
	"entered_at_ms" bigint NOT NULL,
	"place" bigint,
	"place_state" text,
	"held_until_ms" bigint,
	"pass_reason" text,
	"reward_id" text,
	CONSTRAINT "raffle_entries_raffle_id_number_pk" PRIMARY KEY("raffle_id","number")
);
--> statement-breakpoint
CREATE TABLE "raffles" (
	"id" text PRIMARY KEY NOT NULL,
	"rule_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"state" text DEFAULT 'prepared' NOT NULL,
	"keyword" text NOT NULL,
	"keyword_key" text NOT NULL,
	"winners" bigint NOT NULL,
	"length_ms" bigint NOT NULL,
	"winners_out_days" bigint NOT NULL,
	"moderators_may_enter" boolean NOT NULL,
	"seed" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"started_at_ms" bigint,
	"planned_end_ms" bigint,
	"terms" text,
	"ends_at_ms" bigint,
	"entry_count" bigint DEFAULT 0 NOT NULL,
	"list_hash" text,
	"sealed_at_ms" bigint,
	"seal_line_id" text,
	"drawn_at_ms" bigint,
	"ended_at_ms" bigint,
	"end_reason" text,
	CONSTRAINT "raffles_state" CHECK ("raffles"."state" in ('prepared', 'running', 'sealed', 'drawn', 'over', 'cancelled')),
	CONSTRAINT "raffles_winners" CHECK ("raffles"."winners" between 1 and 25)
);
--> statement-breakpoint
ALTER TABLE "chat_announcements" ADD COLUMN "raffle" jsonb;--> statement-breakpoint
ALTER TABLE "raffle_checkpoints" ADD CONSTRAINT "raffle_checkpoints_raffle_id_raffles_id_fk" FOREIGN KEY ("raffle_id") REFERENCES "public"."raffles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raffle_entries" ADD CONSTRAINT "raffle_entries_raffle_id_raffles_id_fk" FOREIGN KEY ("raffle_id") REFERENCES "public"."raffles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raffle_entries" ADD CONSTRAINT "raffle_entries_reward_id_rewards_id_fk" FOREIGN KEY ("reward_id") REFERENCES "public"."rewards"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raffles" ADD CONSTRAINT "raffles_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raffles" ADD CONSTRAINT "raffles_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raffles" ADD CONSTRAINT "raffles_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "raffle_entries_once" ON "raffle_entries" USING btree ("raffle_id","twitch_id");--> statement-breakpoint
CREATE INDEX "raffle_entries_viewer" ON "raffle_entries" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "raffle_entries_places" ON "raffle_entries" USING btree ("raffle_id","place") WHERE place is not null;--> statement-breakpoint
CREATE INDEX "raffle_entries_held" ON "raffle_entries" USING btree ("raffle_id","place") WHERE place_state = 'held';--> statement-breakpoint
CREATE UNIQUE INDEX "raffles_rule" ON "raffles" USING btree ("rule_id");--> statement-breakpoint
CREATE UNIQUE INDEX "raffles_one_live" ON "raffles" USING btree ("channel_id") WHERE state in ('prepared', 'running', 'sealed');--> statement-breakpoint
CREATE INDEX "raffles_moving" ON "raffles" USING btree ("state","ends_at_ms") WHERE state in ('running', 'sealed', 'drawn');--> statement-breakpoint
CREATE INDEX "raffles_channel" ON "raffles" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "raffles_owner" ON "raffles" USING btree ("owner_id","id");