import type { z } from 'zod';
import type { apiResources } from '#app/locales/en/api-resources.ts';

/** A type that `apiResources` describes, in every language. */
export type ResourceType = keyof typeof apiResources;

/** A JSON:API resource type: its attributes and relationships. */
export interface ResourceKind<Attributes extends z.ZodObject = z.ZodObject> {
  type: ResourceType;
  attributes: Attributes;
  relationships: Record<string, { type: string; many: boolean }>;
  /** Builds one resource of this type. `related` holds the related resources that were read; others are omitted. */
  of(id: string, attributes: z.input<Attributes>, related?: Resource['related']): Resource;
}

/** One resource with its related ones, before fields and inclusions are selected. */
export interface Resource {
  type: string;
  id: string;
  attributes: Record<string, unknown>;
  related: Record<string, Resource | Resource[] | null>;
}

/** Defines a resource type once, for responses and for the OpenAPI document. */
export function defineResource<Attributes extends z.ZodObject>(kind: {
  type: ResourceType;
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
