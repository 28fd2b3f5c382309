import { parametersOf } from '#app/api/open-api.ts';
import { resourceKinds } from '#app/api/resources.ts';
import { areas, table } from '#app/api/table.server.ts';

/** The API's calls by area, as the page shows them. */
export const describeAreas = () =>
  Object.entries(areas).map(([area, rows]) => ({
    area,
    calls: rows.map((row) => ({
      name: row.name,
      method: row.method,
      path: row.path,
      access: row.access,
      fields: Object.entries(row.body?.attributes.shape ?? {}).map(([name, schema]) => ({
        name,
        optional: schema.safeParse(undefined).success,
      })),
      // Sparse fields are explained once, at the top of the page.
      parameters: parametersOf(row, resourceKinds)
        .map(({ name }) => String(name))
        .filter((name) => name !== 'id' && !name.startsWith('fields[')),
      refusals: Object.keys(row.refuses),
      answers: row.answers.of.map(({ type }) => type),
    })),
  }));

/** The calls that may ask for a confirmed session. */
export const listConfirmedCalls = () =>
  table
    .filter(({ refuses }) => 'identityUnconfirmed' in refuses)
    .map(({ name, method, path }) => ({ name, method, path }));

export const describeResources = () =>
  resourceKinds.map(({ type, attributes, relationships }) => ({
    type,
    attributes: Object.keys(attributes.shape),
    relationships: Object.keys(relationships),
  }));
