import { describeApi } from '#app/api/table.server.ts';
import { Contract, type Seen } from './contract.ts';

let made: Contract | null = null;

/** This process's document. */
export function contract(): Contract {
  made ??= new Contract(JSON.parse(JSON.stringify(describeApi())));
  return made;
}

export const holdToContract = (seen: Seen): void => contract().hold(seen);
