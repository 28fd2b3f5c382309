DROP INDEX `rewards_due`;--> statement-breakpoint
DROP INDEX `rewards_user`;--> statement-breakpoint
CREATE INDEX `rewards_pending` ON `rewards` (`state`,`claim_until_ms`) WHERE state in ('promised', 'reserved');--> statement-breakpoint
CREATE INDEX `rewards_rule` ON `rewards` (`rule_id`,`state`);--> statement-breakpoint
CREATE INDEX `rewards_promises` ON `rewards` (`rule_id`,`promised_at_ms`,`id`) WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX `rewards_user` ON `rewards` (`user_id`,`state`,`promised_at_ms`,`id`);--> statement-breakpoint
DROP INDEX `rules_channel`;--> statement-breakpoint
DROP INDEX `rules_owner`;--> statement-breakpoint
CREATE INDEX `rules_state` ON `rules` (`state`,`channel_id`);--> statement-breakpoint
CREATE INDEX `rules_closed` ON `rules` (`closed_at_ms`) WHERE state = 'closed';--> statement-breakpoint
CREATE INDEX `rules_channel` ON `rules` (`channel_id`,`state`);--> statement-breakpoint
CREATE INDEX `rules_owner` ON `rules` (`owner_id`,`id`);--> statement-breakpoint
DROP INDEX `transfers_due`;--> statement-breakpoint
CREATE INDEX `transfers_user_live` ON `transfers` (`user_id`) WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX `transfers_reward` ON `transfers` (`reward_id`,`id`) WHERE reward_id is not null;--> statement-breakpoint
CREATE INDEX `transfers_due` ON `transfers` (`bot_id`,`state`,`run_at_ms`) WHERE state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX `twitch_accounts_login` ON `twitch_accounts` (`login`);--> statement-breakpoint
CREATE INDEX `outages_ended` ON `outages` (`ended_at_ms`);--> statement-breakpoint
CREATE INDEX `channels_login` ON `channels` (`login`);--> statement-breakpoint
CREATE INDEX `channels_live` ON `channels` (`live`);--> statement-breakpoint
CREATE INDEX `channels_to_roll_up` ON `channels` (`rolled_up_to_ms`) WHERE watched_until_ms >= rolled_up_to_ms;--> statement-breakpoint
CREATE INDEX `follows_viewer` ON `follows` (`twitch_id`);--> statement-breakpoint
CREATE INDEX `subscribers_viewer` ON `subscribers` (`twitch_id`);--> statement-breakpoint
CREATE INDEX `watch_days_day` ON `watch_days` (`day_ms`,`channel_id`);--> statement-breakpoint
CREATE INDEX `watch_times_viewer` ON `watch_times` (`twitch_id`);--> statement-breakpoint
CREATE INDEX `items_custody` ON `items` (`owner_id`,`market_hash_name`,`app_id`,`state`,`locked_until_ms`,`id`) WHERE state in ('held', 'outgoing', 'missing');--> statement-breakpoint
CREATE INDEX `events_user` ON `events` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `mails_created` ON `mails` (`created_at_ms`);--> statement-breakpoint
CREATE INDEX `custom_rewards_state` ON `custom_rewards` (`state`);--> statement-breakpoint
CREATE INDEX `redemptions_open` ON `redemptions` (`rule_id`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `redemptions_viewer` ON `redemptions` (`twitch_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `qualifications_viewer` ON `qualifications` (`twitch_id`,`rule_id`);--> statement-breakpoint
CREATE INDEX `sessions_end` ON `sessions` (`expires_at_ms`);