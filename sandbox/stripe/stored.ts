import type Stripe from 'stripe';

/** A field that may hold an object or its id holds the id, as Stripe sends it without `expand`. */
type Unexpanded<Value> = [Extract<Value, string>] extends [never] ? Value : Exclude<Value, { id: string }>;

/** An object of the SDK's types as it travels: unexpanded, and decimals as text (the SDK makes them a class). */
export type Stored<Value> = Value extends string
  ? Value
  : Value extends Stripe.Decimal
    ? string
    : Value extends (infer Element)[]
      ? Stored<Unexpanded<Element>>[]
      : Value extends object
        ? { [Key in keyof Value]: Stored<Unexpanded<Value[Key]>> }
        : Value;

export type Customer = Stored<Stripe.Customer>;
export type Product = Stored<Stripe.Product>;
export type Price = Stored<Stripe.Price>;
export type CheckoutSession = Stored<Stripe.Checkout.Session>;
export type Subscription = Stored<Stripe.Subscription>;
export type SubscriptionItem = Stored<Stripe.SubscriptionItem>;
export type Invoice = Stored<Stripe.Invoice>;
export type InvoiceLine = Stored<Stripe.InvoiceLineItem>;
export type InvoicePayment = Stored<Stripe.InvoicePayment>;
export type PaymentMethod = Stored<Stripe.PaymentMethod>;
export type PaymentIntent = Stored<Stripe.PaymentIntent>;
export type Charge = Stored<Stripe.Charge>;
export type Refund = Stored<Stripe.Refund>;
export type Dispute = Stored<Stripe.Dispute>;
export type Coupon = Stored<Stripe.Coupon>;
export type Discount = Stored<Stripe.Discount>;
export type InvoiceItem = Stored<Stripe.InvoiceItem>;
export type Schedule = Stored<Stripe.SubscriptionSchedule>;
export type PortalConfiguration = Stored<Stripe.BillingPortal.Configuration>;
export type PortalSession = Stored<Stripe.BillingPortal.Session>;
export type WebhookEndpoint = Stored<Stripe.WebhookEndpoint>;

/** An event with any object: the SDK's union names one type per event. */
export interface StripeEvent {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: unknown; previous_attributes?: Record<string, unknown> };
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
}

/** Everything with an id of its own, by the name in its `object` field. */
export interface Objects {
  customer: Customer;
  product: Product;
  price: Price;
  'checkout.session': CheckoutSession;
  subscription: Subscription;
  invoice: Invoice;
  invoice_payment: InvoicePayment;
  invoiceitem: InvoiceItem;
  coupon: Coupon;
  discount: Discount;
  payment_method: PaymentMethod;
  payment_intent: PaymentIntent;
  charge: Charge;
  refund: Refund;
  dispute: Dispute;
  subscription_schedule: Schedule;
  'billing_portal.configuration': PortalConfiguration;
  'billing_portal.session': PortalSession;
  webhook_endpoint: WebhookEndpoint;
  event: StripeEvent;
}

export type Kind = keyof Objects;
