CREATE TABLE `long_rounds` (
	`worker` text PRIMARY KEY NOT NULL,
	`ended_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `ended_rewards` (
	`rule_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`kind_name` text NOT NULL,
	`item_id` text NOT NULL,
	`claimed` integer NOT NULL,
	`recalled` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `app_id`, `kind_name`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`item_id`) REFERENCES `items`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
DROP INDEX `rules_closed`;--> statement-breakpoint
ALTER TABLE `rules` ADD `pruned_at_ms` integer;--> statement-breakpoint
UPDATE `rules` SET `pruned_at_ms` = `closed_at_ms` WHERE `state` = 'closed' AND NOT EXISTS (SELECT 1 FROM `qualifications` WHERE `qualifications`.`rule_id` = `rules`.`id`) AND NOT EXISTS (SELECT 1 FROM `watch_baselines` WHERE `watch_baselines`.`rule_id` = `rules`.`id`) AND NOT EXISTS (SELECT 1 FROM `rewards` WHERE `rewards`.`rule_id` = `rules`.`id` AND `rewards`.`state` IN ('promised', 'reserved'));--> statement-breakpoint
CREATE INDEX `rules_to_prune` ON `rules` (`closed_at_ms`) WHERE closed_at_ms is not null and pruned_at_ms is null;--> statement-breakpoint
ALTER TABLE `steam_accounts` ADD `notice_mail_id` text;--> statement-breakpoint
ALTER TABLE `transfers` ADD `rule_owner_id` text REFERENCES users(id);--> statement-breakpoint
UPDATE `transfers` SET `rule_owner_id` = (SELECT `rules`.`owner_id` FROM `rewards` JOIN `rules` ON `rules`.`id` = `rewards`.`rule_id` WHERE `rewards`.`id` = `transfers`.`reward_id`) WHERE `reward_id` IS NOT NULL;--> statement-breakpoint
CREATE INDEX `transfers_rule_owner` ON `transfers` (`rule_owner_id`,`id`) WHERE rule_owner_id is not null;--> statement-breakpoint
CREATE INDEX `transfers_rule_owner_live` ON `transfers` (`rule_owner_id`,`id`) WHERE rule_owner_id is not null and state in ('queued', 'sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed');--> statement-breakpoint
CREATE INDEX `outages_open` ON `outages` (`ended_at_ms`) WHERE id like 'open:%';--> statement-breakpoint
CREATE INDEX `extension_codes_end` ON `extension_codes` (`expires_at_ms`);--> statement-breakpoint
CREATE INDEX `open_id_nonces_seen` ON `open_id_nonces` (`seen_at_ms`);--> statement-breakpoint
CREATE INDEX `watch_gaps_from` ON `watch_gaps` (`from_ms`);--> statement-breakpoint
CREATE INDEX `contact_messages_unconfirmed` ON `contact_messages` (`link_expires_at_ms`) WHERE link_expires_at_ms is not null and confirmed_at_ms is null;--> statement-breakpoint
CREATE INDEX `chat_announcements_created` ON `chat_announcements` (`created_at_ms`);--> statement-breakpoint
CREATE INDEX `email_tokens_end` ON `email_tokens` (`expires_at_ms`);--> statement-breakpoint
INSERT INTO `ended_rewards` (`rule_id`, `app_id`, `kind_name`, `item_id`, `claimed`, `recalled`) SELECT `rewards`.`rule_id`, `items`.`app_id`, CASE WHEN `items`.`traits` = '' THEN `items`.`market_hash_name` ELSE `items`.`market_hash_name` || char(10) || `items`.`traits` END, max(`items`.`id`), count(CASE WHEN `rewards`.`state` = 'claimed' THEN 1 END), count(CASE WHEN `rewards`.`state` = 'recalled' THEN 1 END) FROM `rewards` JOIN `items` ON `items`.`id` = `rewards`.`item_id` WHERE `rewards`.`state` IN ('claimed', 'recalled') GROUP BY 1, 2, 3;