import { z } from 'zod';

/** Steam gives ids as strings, and sometimes as numbers. */
export const id = z.union([z.string().min(1), z.number()]).transform(String);

/** Steam quotes 64-bit numbers, including times. */
export const amount = z.union([z.string().min(1), z.number()]).pipe(z.coerce.number());

/** A list of rows, without those that have another form, because one odd row must not hide the others. */
export const readableRows = <Row extends z.ZodType>(row: Row) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((rows) =>
      rows.flatMap((each): z.output<Row>[] => {
        const read = row.safeParse(each);
        return read.success ? [read.data] : [];
      }),
    );

/** The readable rows of a list, and the number of the others. */
export const countedRows = <Row extends z.ZodType>(row: Row) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((given) => {
      const rows = readableRows(row).parse(given);
      return { rows, unreadable: given.length - rows.length };
    });
