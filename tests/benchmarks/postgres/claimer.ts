// A process that claims what it is told to, one after the other, and answers when all is claimed.
import { openPostgres } from '#db/database.ts';
import { type Claim, claimAll } from '#tests/benchmarks/claims.ts';

const database = await openPostgres(process.env.DATABASE_URL ?? '');
process.on('message', (claims: Claim[]) => {
  claimAll(database, claims).then(
    () => process.send?.(''),
    (error: unknown) => process.send?.(String(error)),
  );
});
process.on('disconnect', () => void database.close());
