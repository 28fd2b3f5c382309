DROP INDEX "rewards_due";--> statement-breakpoint
DROP INDEX "rewards_user";--> statement-breakpoint
DROP INDEX "rules_channel";--> statement-breakpoint
DROP INDEX "rules_owner";--> statement-breakpoint
DROP INDEX "transfers_due";--> statement-breakpoint
CREATE INDEX "twitch_accounts_login" ON "twitch_accounts" USING btree ("login");--> statement-breakpoint
CREATE INDEX "outages_ended" ON "outages" USING btree ("ended_at_ms");--> statement-breakpoint
CREATE INDEX "channels_login" ON "channels" USING btree ("login");--> statement-breakpoint
CREATE INDEX "channels_live" ON "channels" USING btree ("live");--> statement-breakpoint
CREATE INDEX "channels_to_roll_up" ON "channels" USING btree ("rolled_up_to_ms") WHERE watched_until_ms >= rolled_up_to_ms;--> statement-breakpoint
CREATE INDEX "follows_viewer" ON "follows" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "subscribers_viewer" ON "subscribers" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "watch_days_day" ON "watch_days" USING btree ("day_ms","channel_id");--> statement-breakpoint
CREATE INDEX "watch_times_viewer" ON "watch_times" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "items_custody" ON "items" USING btree ("owner_id","market_hash_name","app_id","state","locked_until_ms","id") WHERE state in ('held', 'outgoing', 'missing');--> statement-breakpoint
CREATE INDEX "events_user" ON "events" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "mails_created" ON "mails" USING btree ("created_at_ms");--> statement-breakpoint
CREATE INDEX "custom_rewards_state" ON "custom_rewards" USING btree ("state");--> statement-breakpoint
CREATE INDEX "redemptions_open" ON "redemptions" USING btree ("rule_id") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "redemptions_viewer" ON "redemptions" USING btree ("twitch_id");--> statement-breakpoint
CREATE INDEX "rewards_pending" ON "rewards" USING btree ("state","claim_until_ms") WHERE state in ('promised', 'reserved');--> statement-breakpoint
CREATE INDEX "rewards_rule" ON "rewards" USING btree ("rule_id","state");--> statement-breakpoint
CREATE INDEX "rewards_promises" ON "rewards" USING btree ("rule_id","promised_at_ms","id") WHERE twitch_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "qualifications_viewer" ON "qualifications" USING btree ("twitch_id","rule_id");--> statement-breakpoint
CREATE INDEX "rules_state" ON "rules" USING btree ("state","channel_id");--> statement-breakpoint
CREATE INDEX "rules_closed" ON "rules" USING btree ("closed_at_ms") WHERE state = 'closed';--> statement-breakpoint
CREATE INDEX "transfers_user_live" ON "transfers" USING btree ("user_id") WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX "transfers_reward" ON "transfers" USING btree ("reward_id","id") WHERE reward_id is not null;--> statement-breakpoint
CREATE INDEX "sessions_end" ON "sessions" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE INDEX "rewards_user" ON "rewards" USING btree ("user_id","state","promised_at_ms","id");--> statement-breakpoint
CREATE INDEX "rules_channel" ON "rules" USING btree ("channel_id","state");--> statement-breakpoint
CREATE INDEX "rules_owner" ON "rules" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "transfers_due" ON "transfers" USING btree ("bot_id","state","run_at_ms") WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');