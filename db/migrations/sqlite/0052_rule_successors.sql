DROP INDEX `rewards_rule_user`;--> statement-breakpoint
DROP INDEX `rewards_one_claim_per_steam_id`;--> statement-breakpoint
ALTER TABLE `rewards` ADD `line_id` text REFERENCES rules(id);--> statement-breakpoint
CREATE UNIQUE INDEX `rewards_one_promise_of_line` ON `rewards` ((case when line_id is null then rule_id else line_id end),`twitch_id`) WHERE twitch_id is not null;--> statement-breakpoint
CREATE INDEX `rewards_line_user` ON `rewards` ((case when line_id is null then rule_id else line_id end),`user_id`) WHERE user_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `rewards_one_claim_of_line` ON `rewards` ((case when line_id is null then rule_id else line_id end),`steam_id`) WHERE steam_id is not null;--> statement-breakpoint
ALTER TABLE `rules` ADD `succeeds_id` text REFERENCES rules(id);--> statement-breakpoint
ALTER TABLE `rules` ADD `line_id` text REFERENCES rules(id);--> statement-breakpoint
CREATE UNIQUE INDEX `rules_one_successor` ON `rules` (`succeeds_id`) WHERE succeeds_id is not null;