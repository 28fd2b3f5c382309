import type { z } from 'zod';

/** A kind of JSON:API resource: what its attributes are, and which other kinds it may point at. */
export interface ResourceKind<Attributes extends z.ZodObject = z.ZodObject> {
  type: string;
  about: string;
  attributes: Attributes;
  relationships: Record<string, { type: string; many: boolean }>;
  /** One resource of this kind. `related` holds what was read with it; what was not read is not mentioned. */
  of(id: string, attributes: z.input<Attributes>, related?: Resource['related']): Resource;
}

/** One resource with what it points at, before anybody chose fields or what to include. */
export interface Resource {
  type: string;
  id: string;
  attributes: Record<string, unknown>;
  related: Record<string, Resource | Resource[] | null>;
}

/** Names a kind of resource once, for the answers and for the document that describes them. */
export function defineResource<Attributes extends z.ZodObject>(kind: {
  type: string;
  about: string;
  attributes: Attributes;
  relationships?: Record<string, { type: string; many: boolean }>;
}): ResourceKind<Attributes> {
  const { type, relationships = {} } = kind;
  return {
    ...kind,
    relationships,
    of: (id, attributes, related = {}) => ({ type, id, attributes, related }),
  };
}
