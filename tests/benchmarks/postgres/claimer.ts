// A process that makes the given claims one after another, and answers when done.
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
