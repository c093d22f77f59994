import { apis } from '@model-gateway/canonical/wire-format';
import { z } from 'zod/mini';
import { pageOf, paging } from './page.ts';
import { priceSettings } from './price.ts';
import { projectSettings, userSettings } from './projects.ts';

/** Stands for a stored secret, which is never shown. In a request it keeps the secret. */
const isSet = z.strictObject({ set: z.literal(true) });

/** Keeps the secret of an API key: the one of the same name, or the one named `from`. A provider's only key is named `1`. */
const isKept = z.strictObject({ ...isSet.shape, from: z.optional(z.string()) });

const reference = [z.strictObject({ env: z.string() }), z.strictObject({ file: z.string() })] as const;
const secret = [...reference, z.strictObject({ value: z.string() })] as const;
const apiKey = z.union([...secret, isKept]);
const api = z.enum(apis);
const streams = z.enum(['always', 'as-asked', 'never']);
const duration = z.string();
const count = z.int().check(z.positive());

const certificateFile = z.strictObject({ file: z.string() });

/** Certificates for connections to a provider: PEM files of the workers. */
const tls = z.strictObject({
  /** The certificates of the CAs that the provider's certificate may be from. */
  ca: z.optional(certificateFile),
  /** The client certificate and its key. */
  cert: z.optional(certificateFile),
  key: z.optional(certificateFile),
  /** The name that the provider's certificate must have; if absent, the host of its base URL. */
  serverName: z.optional(z.string()),
});

const proxySettings = { url: z.string(), username: z.optional(z.string()) };

/** The settings of one of several API keys, besides the key. */
const keySettings = {
  /** Share of requests that try this key first; 1 if absent. */
  weight: z.optional(z.number()),
  /** The name by which the key rests and is shown; its position, from 1, if absent. */
  name: z.optional(z.string()),
};

/** The discovery of a provider's models, as in gateway.yaml. */
const discovery = z.strictObject({
  discover: z.literal(true),
  /** Patterns of the names at the provider that are listed; all if absent. */
  include: z.optional(z.array(z.string())),
  /** Patterns of the names at the provider that are not listed. */
  exclude: z.optional(z.array(z.string())),
  /** Text before each name, by which clients ask for the model. */
  prefix: z.optional(z.string()),
  /** Time between two refreshes, such as `10m`. */
  every: z.optional(duration),
});

const provider = {
  /** Such as `openai`, `anthropic` or `openai-compatible`. */
  kind: z.string(),
  /** Formats for generate, the preferred one first; if absent, the kind's. */
  api: z.nullish(z.union([api, z.array(api)])),
  /** The most inputs of one embeddings request, or documents of one rerank request. */
  batch: z.nullish(count),
  /** If absent, the vendor's. */
  baseUrl: z.nullish(z.string()),
};

/**
 * The settings of a provider, as in gateway.yaml. Null and an absent field set nothing. They are checked by the rules of gateway.yaml,
 * which say more than this shape.
 */
export const providerSettings = z.strictObject({
  /** The name in the path, if present. */
  name: z.optional(z.string()),
  ...provider,
  apiKey: z.nullish(apiKey),
  /** Several API keys in place of one, with their shares of requests. */
  apiKeys: z.nullish(z.array(z.strictObject({ ...keySettings, key: apiKey }))),
  /** Headers sent with each request. */
  headers: z.nullish(z.record(z.string(), z.union([z.string(), ...reference, isSet]))),
  /** `none`, the URL of its proxy, or that with credentials; if absent, the proxy of the environment of the workers. */
  proxy: z.nullish(
    z.union([
      z.string(),
      z.strictObject({
        ...proxySettings,
        password: z.optional(z.union([...secret, isSet])),
      }),
    ]),
  ),
  tls: z.nullish(tls),
  /** Pool of the workers that may call the provider; `default` if absent. */
  pool: z.nullish(z.string()),
  /** Translated requests that ask for a stream; all of them if absent. */
  streams: z.nullish(streams),
  /** True if its models continue a last message of the assistant; if absent, as its kind. */
  prefill: z.nullish(z.boolean()),
  /** `discover`, or how the models that the provider lists are discovered. */
  models: z.nullish(z.union([z.literal('discover'), discovery])),
  /** Settings that only its kind has, such as a region, by name. */
  options: z.nullish(z.record(z.string(), z.string())),
});
export type ProviderSettings = z.infer<typeof providerSettings>;

/** A model of `discovery` is listed by its provider, and has no settings of its own. */
const managedBy = z.enum(['file', 'api', 'discovery']);

/** The query of the lists of providers and models. */
export const entriesQuery = z.strictObject({ ...paging, managedBy: z.optional(managedBy) });

/** What is known of an entry besides its settings. */
const entry = {
  name: z.string(),
  managedBy,
  /** The place of an entry of gateway.yaml, such as `providers[0]`; null for one of the API. */
  place: z.nullable(z.string()),
  /** True if the API has an entry with the name of this one of gateway.yaml, which holds again once this one is gone. */
  overridden: z.boolean(),
  /** The reasons why the entry does not fit the others, such as a target whose provider has left gateway.yaml. */
  problems: z.array(z.string()),
  /** RFC 3339. */
  createdAt: z.string(),
};

/** A provider in force. Secrets are shown as `{ "set": true }`. */
export const providerInfo = z.object({
  ...entry,
  ...provider,
  api: z.nullable(z.union([api, z.array(api)])),
  batch: z.nullable(count),
  baseUrl: z.nullable(z.string()),
  apiKey: z.nullable(z.union([...reference, isSet])),
  apiKeys: z.nullable(z.array(z.object({ ...keySettings, key: z.union([...reference, isSet]) }))),
  headers: z.record(z.string(), z.union([...reference, isSet])),
  proxy: z.nullable(
    z.union([
      z.string(),
      z.object({ ...proxySettings, password: z.optional(z.union([...reference, isSet])) }),
    ]),
  ),
  tls: z.nullable(tls),
  pool: z.string(),
  streams: z.nullable(streams),
  prefill: z.nullable(z.boolean()),
  options: z.record(z.string(), z.string()),
  models: z.nullable(discovery),
  /** The state of discovery; null without. */
  discovered: z.nullable(
    z.object({
      /** The number of models in the last list. */
      models: z.int(),
      /** The time of the last list, in RFC 3339; null before the first. */
      refreshedAt: z.nullable(z.string()),
      /** The reason why the last refresh failed; null if it did not. */
      error: z.nullable(z.string()),
    }),
  ),
});
export type ProviderInfo = z.infer<typeof providerInfo>;
export const providerList = pageOf(providerInfo);

const target = z.strictObject({
  provider: z.string(),
  /** The model's name at the provider; `*` stands for the text that the model's `*` matched. */
  model: z.string(),
  /** Share of requests that try this target first. */
  weight: z.optional(z.number()),
  /** Price of its answers; if absent, the price of the model. */
  price: z.optional(priceSettings),
});

const names = z.array(z.string());
const fallbacks = z.strictObject({
  contextLength: z.optional(names),
  contentPolicy: z.optional(names),
  rateLimit: z.optional(names),
  outage: z.optional(names),
});
const timeouts = { firstToken: z.optional(duration), idle: z.optional(duration) };
const tokenLimits = z.strictObject({ context: z.optional(count), maxOutput: z.optional(count) });
const realtime = z.union([
  z.literal('upstream'),
  z.strictObject({
    transcription: z.optional(z.string()),
    speech: z.optional(z.string()),
    voice: z.optional(z.string()),
  }),
]);
const strategy = z.enum(['ordered', 'weighted', 'least-busy', 'fastest', 'cheapest']);

/** The settings of a model, as in gateway.yaml; checked as those of a provider are. */
export const modelSettings = z.strictObject({
  /** The name in the path, if present. */
  name: z.optional(z.string()),
  targets: z.array(target),
  strategy: z.nullish(strategy),
  /** The most times that a request is sent again once every target has failed. */
  retries: z.nullish(z.int()),
  /** Names of the models that take a request over, by cause; a list is for `rateLimit` and `outage`. */
  fallbacks: z.nullish(z.union([names, fallbacks])),
  /** False if turns of one conversation need not go to the same target. */
  affinity: z.nullish(z.boolean()),
  /** Time without an answer after which a second target is asked, too, such as `2s`. */
  hedgeAfter: z.nullish(duration),
  /** Such as `60s` or `30m`. */
  timeouts: z.nullish(z.strictObject({ ...timeouts, total: z.optional(duration) })),
  /** Price of its targets' answers; if absent, the vendor's list price. */
  price: z.nullish(priceSettings),
  /** In tokens. */
  limits: z.nullish(tokenLimits),
  realtime: z.nullish(realtime),
  /** Request fields that the targets do not accept. */
  drop: z.nullish(z.array(z.string())),
});
export type ModelSettings = z.infer<typeof modelSettings>;

/** A model in force. */
export const modelInfo = z.object({
  ...entry,
  targets: z.array(target),
  strategy: z.nullable(strategy),
  retries: z.nullable(z.int()),
  fallbacks: z.nullable(fallbacks),
  affinity: z.nullable(z.boolean()),
  hedgeAfter: z.nullable(duration),
  timeouts: z.object({ ...timeouts, total: duration }),
  price: z.nullable(priceSettings),
  limits: tokenLimits,
  realtime: z.nullable(realtime),
  drop: z.array(z.string()),
  /** The operations that its targets support. */
  operations: z.array(z.string()),
});
export type ModelInfo = z.infer<typeof modelInfo>;
export const modelList = pageOf(modelInfo);

const named = { name: z.string() };

/** A whole catalog, in the form of gateway.yaml. */
export const catalogDocument = z.strictObject({
  providers: z.array(z.strictObject({ ...providerSettings.shape, ...named })),
  models: z.array(z.strictObject({ ...modelSettings.shape, ...named })),
  projects: z.optional(z.array(z.strictObject({ ...named, ...projectSettings.shape }))),
  users: z.optional(z.array(z.strictObject({ ...named, ...userSettings.shape }))),
});
export type CatalogDocument = z.infer<typeof catalogDocument>;

const flag = z._default(z.enum(['true', 'false'], 'must be true or false'), 'false');

export const applyQuery = z.strictObject({
  /** `true` to return the changes only. */
  dryRun: flag,
  /** `true` to delete the providers and models of the API, and the settings of projects and users, that the document lacks. */
  prune: flag,
});

export const entryChange = z.object({
  kind: z.enum(['provider', 'model', 'project', 'user']),
  name: z.string(),
  change: z.enum(['created', 'changed', 'deleted', 'unchanged']),
  /** The fields that differ, by their paths. A value is null where it is absent, and secrets are hidden. */
  fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
});
export type EntryChange = z.infer<typeof entryChange>;

/** The changes of a document, in its order, and then those of what it lacks. */
export const appliedCatalog = z.object({ dryRun: z.boolean(), changes: z.array(entryChange) });
export type AppliedCatalog = z.infer<typeof appliedCatalog>;

/** The body of a test: a model at the provider, or a name that the model's `*` matches. */
export const catalogTest = z.strictObject({
  model: z.nullish(z.string().check(z.minLength(1), z.maxLength(200))),
});

/** The results of a test, a target each. */
export const catalogTestResult = z.object({
  data: z.array(
    z.object({
      provider: z.string(),
      /** The model's name at the provider. */
      model: z.string(),
      works: z.boolean(),
      /** Milliseconds until the whole answer or the failure. */
      ms: z.number(),
      /** Null if it works. */
      error: z.nullable(z.object({ kind: z.string(), message: z.string() })),
    }),
  ),
});
export type CatalogTestResult = z.infer<typeof catalogTestResult>;
