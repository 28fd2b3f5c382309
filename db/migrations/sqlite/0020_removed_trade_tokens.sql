-- A trade token is needed until its offer is on Steam; those of all other transfers are removed.
UPDATE transfers SET trade_token = '' WHERE state NOT IN ('queued', 'sending', 'uncertain', 'unconfirmed');
