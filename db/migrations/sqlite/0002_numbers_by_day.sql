CREATE TABLE `channel_days` (
	`channel_id` text NOT NULL,
	`day_ms` integer NOT NULL,
	`watch_seconds` integer DEFAULT 0 NOT NULL,
	`live_seconds` integer DEFAULT 0 NOT NULL,
	`followers` integer,
	`subscribers` integer,
	`redeemed` integer DEFAULT 0 NOT NULL,
	`refunded` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`channel_id`, `day_ms`)
) STRICT;
--> statement-breakpoint
INSERT INTO `channel_days` (`channel_id`, `day_ms`, `watch_seconds`, `live_seconds`) SELECT `channel_id`, `day_ms`, sum(`seconds`), max(`seconds`) FROM `watch_days` GROUP BY 1, 2;--> statement-breakpoint
INSERT INTO `channel_days` (`channel_id`, `day_ms`, `watch_seconds`, `live_seconds`) SELECT `channels`.`id`, `channels`.`rolled_up_to_ms`, sum(`watch_times`.`seconds` - `watch_times`.`rolled_seconds`), max(`watch_times`.`seconds` - `watch_times`.`rolled_seconds`) FROM `watch_times` INNER JOIN `channels` ON `channels`.`id` = `watch_times`.`channel_id` WHERE `watch_times`.`seconds` > `watch_times`.`rolled_seconds` AND `channels`.`rolled_up_to_ms` IS NOT NULL GROUP BY 1, 2 ON CONFLICT (`channel_id`, `day_ms`) DO UPDATE SET `watch_seconds` = `channel_days`.`watch_seconds` + excluded.`watch_seconds`;--> statement-breakpoint
INSERT INTO `channel_days` (`channel_id`, `day_ms`, `followers`) SELECT `channels`.`id`, `channels`.`follows_read_at_ms` - `channels`.`follows_read_at_ms` % 86400000, count(*) FROM `follows` INNER JOIN `channels` ON `channels`.`id` = `follows`.`channel_id` WHERE `channels`.`follows_read_at_ms` IS NOT NULL GROUP BY 1, 2 ON CONFLICT (`channel_id`, `day_ms`) DO UPDATE SET `followers` = excluded.`followers`;--> statement-breakpoint
INSERT INTO `channel_days` (`channel_id`, `day_ms`, `subscribers`) SELECT `channels`.`id`, `channels`.`subscribers_read_at_ms` - `channels`.`subscribers_read_at_ms` % 86400000, count(*) FROM `subscribers` INNER JOIN `channels` ON `channels`.`id` = `subscribers`.`channel_id` WHERE `channels`.`subscribers_read_at_ms` IS NOT NULL GROUP BY 1, 2 ON CONFLICT (`channel_id`, `day_ms`) DO UPDATE SET `subscribers` = excluded.`subscribers`;--> statement-breakpoint
INSERT INTO `channel_days` (`channel_id`, `day_ms`, `redeemed`, `refunded`) SELECT `rules`.`channel_id`, `redemptions`.`redeemed_at_ms` - `redemptions`.`redeemed_at_ms` % 86400000, count(*), count(CASE WHEN `redemptions`.`state` = 'refunded' THEN 1 END) FROM `redemptions` INNER JOIN `rules` ON `rules`.`id` = `redemptions`.`rule_id` WHERE `redemptions`.`redeemed_at_ms` > 0 GROUP BY 1, 2 ON CONFLICT (`channel_id`, `day_ms`) DO UPDATE SET `redeemed` = excluded.`redeemed`, `refunded` = excluded.`refunded`;--> statement-breakpoint
CREATE INDEX `items_locked` ON `items` (`owner_id`,`locked_until_ms`) WHERE state = 'held';--> statement-breakpoint
CREATE INDEX `rewards_owner_live` ON `rewards` (`owner_id`,`state`,`rule_id`) WHERE state in ('free', 'promised', 'reserved');--> statement-breakpoint
CREATE INDEX `rules_owner_live` ON `rules` (`owner_id`,`id`) WHERE state in ('open', 'paused');