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
