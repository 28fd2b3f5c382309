import { z } from 'zod';

/** Steam gives ids as strings, and now and then as numbers. */
export const id = z.union([z.string().min(1), z.number()]).transform(String);

/** Steam quotes 64-bit numbers, times among them. */
export const amount = z.union([z.string().min(1), z.number()]).pipe(z.coerce.number());

/** A list of rows, without those that have another form: one odd row must not hide the others. */
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

/** The rows of a list that can be read, and how many cannot. */
export const countedRows = <Row extends z.ZodType>(row: Row) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((given) => {
      const rows = readableRows(row).parse(given);
      return { rows, unreadable: given.length - rows.length };
    });
