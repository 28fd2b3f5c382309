import { z } from 'zod';
import { isWithin } from './lists.ts';
import {
  bool,
  common,
  createdRange,
  listOf,
  mergeMetadata,
  metadata,
  paging,
  text,
  whole,
} from './parameters.ts';
import { invalidRequest } from './refusals.ts';
import { newId } from './state.ts';
import type { Price, Product } from './stored.ts';
import type { StripeWorld } from './world.ts';

const productFields = {
  ...common,
  active: bool.optional(),
  description: text.optional(),
  images: listOf(text).optional(),
  marketing_features: listOf(z.strictObject({ name: text })).optional(),
  metadata,
  statement_descriptor: text.optional(),
  tax_code: text.optional(),
  unit_label: text.optional(),
  url: text.optional(),
};

export const createProductShape = z.strictObject({ ...productFields, id: text.optional(), name: text });
export const updateProductShape = z.strictObject({
  ...productFields,
  name: text.optional(),
  default_price: text.optional(),
});
export const listProductsShape = z.strictObject({
  ...paging,
  active: bool.optional(),
  ids: listOf(text).optional(),
  created: createdRange,
});

export function createProduct(world: StripeWorld, given: z.output<typeof createProductShape>): Product {
  if (given.id && world.find('product', given.id)) {
    // Believed.
    throw invalidRequest('Product already exists.', { code: 'resource_already_exists', param: 'id' });
  }
  const now = world.seconds();
  return world.create(
    'product',
    {
      id: given.id ?? newId('product'),
      object: 'product',
      active: given.active ?? true,
      created: now,
      default_price: null,
      description: given.description || null,
      images: given.images ?? [],
      livemode: false,
      marketing_features: given.marketing_features ?? [],
      metadata: mergeMetadata({}, given.metadata),
      name: given.name,
      package_dimensions: null,
      shippable: null,
      statement_descriptor: given.statement_descriptor || null,
      tax_code: given.tax_code || null,
      tax_details: null,
      type: 'service',
      unit_label: given.unit_label || null,
      updated: now,
      url: given.url || null,
    },
    'product.created',
  );
}

export function updateProduct(
  world: StripeWorld,
  id: string,
  given: z.output<typeof updateProductShape>,
): Product {
  const product = world.require('product', id);
  const plain = [
    'description',
    'statement_descriptor',
    'tax_code',
    'unit_label',
    'url',
    'default_price',
  ] as const;
  const changed = Object.fromEntries(
    plain.filter((name) => given[name] !== undefined).map((name) => [name, given[name] || null]),
  );
  const { active, name, images, marketing_features: features } = given;
  return world.update(
    'product',
    id,
    {
      ...changed,
      ...(active !== undefined && { active }),
      ...(name && { name }),
      ...(images && { images }),
      ...(features && { marketing_features: features }),
      metadata: mergeMetadata(product.metadata, given.metadata),
      updated: world.seconds(),
    },
    'product.updated',
  );
}

export function listProducts(world: StripeWorld, given: z.output<typeof listProductsShape>): Product[] {
  return world
    .all('product')
    .filter(
      ({ id, active, created }) =>
        (given.active === undefined || active === given.active) &&
        (!given.ids || given.ids.includes(id)) &&
        isWithin(created, given.created),
    );
}

const intervals = ['day', 'week', 'month', 'year'] as const;

export const createPriceShape = z.strictObject({
  ...common,
  active: bool.optional(),
  billing_scheme: z.literal('per_unit').optional(),
  currency: text,
  lookup_key: text.optional(),
  metadata,
  nickname: text.optional(),
  product: text.optional(),
  product_data: z.strictObject({ name: text, metadata, tax_code: text.optional() }).optional(),
  recurring: z
    .strictObject({
      interval: z.enum(intervals, 'Invalid interval: must be one of day, week, month, or year'),
      interval_count: whole.optional(),
      usage_type: z.literal('licensed').optional(),
      trial_period_days: whole.optional(),
    })
    .optional(),
  tax_behavior: z.enum(['exclusive', 'inclusive', 'unspecified']).optional(),
  transfer_lookup_key: bool.optional(),
  unit_amount: whole.optional(),
  unit_amount_decimal: text.optional(),
});

export const updatePriceShape = z.strictObject({
  ...common,
  active: bool.optional(),
  lookup_key: text.optional(),
  metadata,
  nickname: text.optional(),
  tax_behavior: z.enum(['exclusive', 'inclusive', 'unspecified']).optional(),
  transfer_lookup_key: bool.optional(),
});

export const listPricesShape = z.strictObject({
  ...paging,
  active: bool.optional(),
  created: createdRange,
  currency: text.optional(),
  lookup_keys: listOf(text).optional(),
  product: text.optional(),
  recurring: z
    .strictObject({
      interval: z.enum(intervals).optional(),
      usage_type: text.optional(),
      meter: text.optional(),
    })
    .optional(),
  type: z.enum(['one_time', 'recurring']).optional(),
});

/** One price at a time has a lookup key; another takes it over only when asked to, stripe/stripe-ruby#933. */
function claimLookupKey(
  world: StripeWorld,
  key: string | undefined,
  isTransferred: boolean,
  ownId: string,
): void {
  const holder = key
    ? world.all('price').find((price) => price.lookup_key === key && price.id !== ownId)
    : null;
  if (!holder) return;
  if (!isTransferred) {
    throw invalidRequest(`A price (\`${holder.id}\`) already uses that lookup key.`, { param: 'lookup_key' });
  }
  world.update('price', holder.id, { lookup_key: null }, 'price.updated');
}

export function createPrice(world: StripeWorld, given: z.output<typeof createPriceShape>): Price {
  const { product_data: newProduct, recurring } = given;
  if (!given.product === !newProduct) {
    throw invalidRequest('You must specify either `product` or `product_data` when creating a price.');
  }
  const product = newProduct
    ? createProduct(world, newProduct).id
    : world.require('product', given.product ?? '', 'product').id;
  const amount = given.unit_amount ?? Number(given.unit_amount_decimal ?? Number.NaN);
  if (!Number.isInteger(amount) || amount < 0)
    throw invalidRequest('Invalid non-negative integer', { param: 'unit_amount' });
  const id = newId('price');
  claimLookupKey(world, given.lookup_key, given.transfer_lookup_key ?? false, id);
  return world.create(
    'price',
    {
      id,
      object: 'price',
      active: given.active ?? true,
      billing_scheme: 'per_unit',
      created: world.seconds(),
      currency: given.currency.toLowerCase(),
      custom_unit_amount: null,
      livemode: false,
      lookup_key: given.lookup_key || null,
      metadata: mergeMetadata({}, given.metadata),
      nickname: given.nickname || null,
      product,
      recurring: recurring
        ? {
            interval: recurring.interval,
            interval_count: recurring.interval_count ?? 1,
            meter: null,
            trial_period_days: recurring.trial_period_days ?? null,
            usage_type: 'licensed',
          }
        : null,
      tax_behavior: given.tax_behavior ?? 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: recurring ? 'recurring' : 'one_time',
      unit_amount: amount,
      unit_amount_decimal: String(amount),
    },
    'price.created',
  );
}

export function updatePrice(world: StripeWorld, id: string, given: z.output<typeof updatePriceShape>): Price {
  const price = world.require('price', id);
  claimLookupKey(world, given.lookup_key, given.transfer_lookup_key ?? false, id);
  const { active, lookup_key: key, nickname, tax_behavior: tax } = given;
  return world.update(
    'price',
    id,
    {
      ...(active !== undefined && { active }),
      ...(key !== undefined && { lookup_key: key || null }),
      ...(nickname !== undefined && { nickname: nickname || null }),
      ...(tax && { tax_behavior: tax }),
      metadata: mergeMetadata(price.metadata, given.metadata),
    },
    'price.updated',
  );
}

export function listPrices(world: StripeWorld, given: z.output<typeof listPricesShape>): Price[] {
  const { active, currency, lookup_keys: keys, product, recurring, type } = given;
  return world
    .all('price')
    .filter(
      (price) =>
        (active === undefined || price.active === active) &&
        (!currency || price.currency === currency) &&
        (!keys || keys.includes(price.lookup_key ?? '')) &&
        (!product || price.product === product) &&
        (!recurring?.interval || price.recurring?.interval === recurring.interval) &&
        (!type || price.type === type) &&
        isWithin(price.created, given.created),
    );
}
