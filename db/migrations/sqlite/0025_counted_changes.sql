ALTER TABLE `pool_changes` ADD `cause` text;--> statement-breakpoint
ALTER TABLE `pool_changes` ADD `times` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `pool_changes` ADD `last_at_ms` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `pool_changes_once` ON `pool_changes` (`rule_id`,`after_draw`,`app_id`,`market_hash_name`,`cause`);--> statement-breakpoint
ALTER TABLE `rules` ADD `change_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `rules` ADD `changes_from_draw` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `rules` SET
	`change_count` = (SELECT count(*) FROM `pool_changes` WHERE `pool_changes`.`rule_id` = `rules`.`id`),
	`changes_from_draw` = (SELECT coalesce(max(`draws`.`number`), 0) FROM `draws` WHERE `draws`.`rule_id` = `rules`.`id`)
WHERE `rules`.`type` = 'random';
