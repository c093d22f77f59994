import { budgetSettings, limitSettings } from '@model-gateway/admin-api/settings';
import { poolName } from '@model-gateway/bus';
import { apis, duration } from '@model-gateway/canonical';
import { providerProfiles } from '@model-gateway/providers';
import { z } from 'zod';
import { apiKeys } from './api-keys.ts';
import { isConnectionHeader } from './connection-headers.ts';
import { discovery } from './discovery.ts';
import { logging } from './logging.ts';
import { price } from './prices/price.ts';
import { line, reference, secret } from './secret.ts';
import { proxy, tls } from './way.ts';

/** Translated requests that ask for a stream: all of them, those whose clients ask for one, or none. */
export const streamings = ['always', 'as-asked', 'never'] as const;

/** A name. It is free text, so that a model can have the name that its vendor uses. */
const name = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
  .refine(text => text.trim() === text, 'must not start or end with a space');

const pattern = name.refine(text => text.split('*').length <= 2, 'must hold at most one *');

const baseUrl = z.string().superRefine(checkBaseUrl).transform(withoutSlash);

export const provider = z.strictObject({
  name,
  kind: z.string().refine(kind => Object.hasOwn(providerProfiles, kind), {
    error: () => `must be one of ${Object.keys(providerProfiles).join(', ')}`,
  }),
  /** Formats for generate, the preferred one first; if absent, the kind's. */
  api: z
    .union([z.enum(apis), z.array(z.enum(apis)).min(1, 'must name at least one')], {
      error: `must be one or more of ${apis.join(', ')}`,
    })
    .optional(),
  /**
   * The most inputs of one embeddings request, or documents of one rerank request; if absent, the kind's.
   * It is ignored for kinds without a limit.
   */
  batch: z.int('must be a whole number').positive('must be greater than zero').optional(),
  /**
   * Requests in another format than the client's that ask the provider for a stream; if absent, all of them, so that an answer that nobody
   * waits for any more can be stopped.
   */
  streams: z.enum(streamings, { error: `must be one of ${streamings.join(', ')}` }).optional(),
  /** True if its models continue a last message of the assistant; if absent, as its kind. */
  prefill: z.boolean().optional(),
  /** Its models, which are listed by the provider itself; if absent, those that models name as targets. */
  models: discovery.optional(),
  /** Settings that only its kind has, such as a region, by name; see {@link ProviderOption} of the kind. */
  options: z.record(z.string(), line).optional(),
  /** Base URL as the vendor's SDK takes it, without a trailing slash; if absent, the vendor's. */
  baseUrl: baseUrl.optional(),
  apiKey: secret.optional(),
  /** Several API keys in place of one. A request tries another one if its key is refused or used up. */
  apiKeys: apiKeys.optional(),
  /** Headers sent with each request. */
  headers: z
    .record(
      z
        .string()
        .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not the name of a header')
        .refine(header => !isConnectionHeader(header), 'is a header that the gateway sets itself'),
      z.union([line, reference], { error: 'must be a text, { env: NAME } or { file: PATH }' }),
    )
    .default({}),
  /** The proxy of requests to it; if absent, that of the environment of the workers. */
  proxy: proxy.optional(),
  tls: tls.optional(),
  /** Pool of the workers that may call the provider. */
  pool: z.string().regex(poolName, 'must be 1 to 64 letters, digits, _ or -').default('default'),
});

export const target = z.strictObject({
  provider: name,
  /** The model's name at the provider; `*` stands for the text that the model's `*` matched. */
  model: pattern,
  /**
   * Share of requests that try this target first. If other targets have a weight, a missing one counts as 0.
   */
  weight: z.number().nonnegative('must not be negative').optional(),
  /** Price of its answers; if absent, the price of the model. */
  price: price.optional(),
});

/**
 * The order in which a model's targets are tried: as in the file, by weight, or the one with the fewest running requests,
 * the shortest recent time to the first token or the lowest price first.
 */
export const strategies = ['ordered', 'weighted', 'least-busy', 'fastest', 'cheapest'] as const;

/**
 * Reasons to send a request to another model: the prompt is too long, the provider's content policy refuses it, a rate
 * limit or quota is used up, or the model's targets do not answer.
 */
export const fallbackCauses = ['contextLength', 'contentPolicy', 'rateLimit', 'outage'] as const;
export type FallbackCause = (typeof fallbackCauses)[number];

const modelNames = z.array(name).max(10, 'must hold at most 10 names');
const fallbacks = z.strictObject({
  contextLength: modelNames.optional(),
  contentPolicy: modelNames.optional(),
  rateLimit: modelNames.optional(),
  outage: modelNames.optional(),
});

type Fallbacks = z.infer<typeof fallbacks>;

const wait = duration.refine(
  ms => ms > 0 && ms <= 24 * 86_400_000,
  'must be longer than zero and at most 24d',
);
const count = z.int('must be a whole number').positive('must be greater than zero');

export const model = z.strictObject({
  /** Name that clients use; with a `*`, every name that matches. */
  name: pattern,
  targets: z.array(target).min(1, 'must hold at least one target'),
  /** If absent, `weighted` if a target has a weight, else `ordered`. */
  strategy: z.enum(strategies, { error: `must be one of ${strategies.join(', ')}` }).optional(),
  /** The most times that a request is sent again once every target has failed; if absent, none: clients retry, too. */
  retries: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(5, 'must be at most 5')
    .optional(),
  /** Names of the models that take a request over, by cause; a list is for `rateLimit` and `outage`. */
  fallbacks: z
    .union([modelNames.transform((names): Fallbacks => ({ rateLimit: names, outage: names })), fallbacks], {
      error: `must be a list of models, or a mapping of ${fallbackCauses.join(', ')} to such lists`,
    })
    .optional(),
  /** False if turns of one conversation need not go to the same target; if absent, they do. */
  affinity: z.boolean().optional(),
  /** Time without an answer, in milliseconds, after which a second target is asked, too; if absent, never. */
  hedgeAfter: wait.optional(),
  /** In milliseconds. The defaults of `firstToken` and `idle` depend on the operation. */
  timeouts: z
    .strictObject({ firstToken: wait.optional(), idle: wait.optional(), total: wait.prefault('30m') })
    .prefault({}),
  /** Price of its targets' answers; if absent, the vendor's list price. */
  price: price.optional(),
  /** In tokens. */
  limits: z.strictObject({ context: count.optional(), maxOutput: count.optional() }).default({}),
  /** Realtime sessions: served by an upstream, or emulated by the gateway with the help of other models. */
  realtime: z
    .union(
      [
        z.literal('upstream'),
        z.strictObject({
          /** Model that transcribes the user's speech. */
          transcription: name.optional(),
          /** Model that speaks, in its default voice if `voice` is absent. */
          speech: name.optional(),
          voice: line.optional(),
        }),
      ],
      { error: 'must be upstream, or a mapping of transcription, speech and voice' },
    )
    .optional(),
  /** Request fields that the targets do not accept. */
  drop: z.array(line).default([]),
});

/** Settings for all tokens of a project. */
export const project = z.strictObject({
  name,
  /** False if its responses are not stored. Stored ones can be continued and retrieved. */
  storeResponses: z.boolean().optional(),
  /** False if the messages of its failed attempts are not stored in the ledger. */
  storeErrors: z.boolean().optional(),
  /** Share of busy workers, relative to other projects; 1 if absent. */
  weight: z.number().min(0.01, 'must be at least 0.01').max(1_000, 'must be at most 1000').optional(),
  limits: z.optional(limitSettings),
  budget: z.optional(budgetSettings),
  /** True if its tokens may use models without a price, though they have a budget. */
  allowUnpriced: z.boolean().optional(),
  /** Prices of models by name or pattern, which take the place of the others for this project. */
  prices: z.record(pattern, price).optional(),
  /** Request logging; if absent, no text of a request or an answer is stored. */
  logging,
});

/** Settings for all tokens of a user. */
export const user = z.strictObject({ name, budget: z.optional(budgetSettings) });

/** The complete gateway.yaml. */
export const catalogSchema = z.strictObject({
  providers: z.array(provider),
  models: z.array(model),
  projects: z.array(project).default([]),
  users: z.array(user).default([]),
});

export type Provider = z.infer<typeof provider>;
export type Model = z.infer<typeof model>;
export type Project = z.infer<typeof project>;
export type User = z.infer<typeof user>;
export type Budget = z.infer<typeof budgetSettings>;
export type Target = z.infer<typeof target>;
export type CatalogFile = z.infer<typeof catalogSchema>;

function checkBaseUrl(text: string, context: z.RefinementCtx): void {
  const url = URL.parse(text);
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  if (!url || !/^https?:$/.test(url.protocol)) refuse('must be an http:// or https:// URL');
  else if (url.username || url.password) refuse('must not hold a user name or password: use headers');
  else if (url.search || url.hash) refuse('must not hold a query or fragment');
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}
