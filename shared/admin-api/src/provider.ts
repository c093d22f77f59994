import { apis } from '@model-gateway/canonical/wire-format';
import { z } from 'zod/mini';
import { isConnectionHeader } from './connection-headers.ts';
import { entry } from './entry.ts';
import { durationWithin, entryName, entryPattern, line } from './name.ts';
import { pageOf } from './page.ts';
import { shown, stated } from './stated.ts';

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

const env = z.strictObject({ env: line });
const file = z.strictObject({ file: line });
const ownValue = z.strictObject({ value: line });
/** Stands for a stored secret, which is never shown. In a request it keeps the secret. */
const isSet = z.strictObject({ set: z.literal(true) });
/** Keeps the secret of an API key: the one of the same name, or the one named `from`. A provider's only key is named `1`. */
const isKept = z.strictObject({ ...isSet.shape, from: z.optional(z.string()) });

/** A secret: its value, or the variable or the file of the workers that holds it. */
const secret = z.union(
  [env, file, ownValue],
  'must be exactly one of { env: NAME }, { file: PATH } and { value: SECRET }',
);
const headerValue = z.union([line, env, file], 'must be a text, { env: NAME } or { file: PATH }');
const shownSecret = z.union([env, file, isSet]);

const patterns = z.array(entryPattern).check(z.maxLength(100, 'must hold at most 100 patterns'));

/** The discovery of a provider's models. */
const discovery = z.strictObject({
  discover: z.literal(true, 'must be true'),
  include: z
    .optional(patterns)
    .check(z.describe('Patterns of the names at the provider that are listed; all if absent.')),
  exclude: z
    .optional(patterns)
    .check(z.describe('Patterns of the names at the provider that are not listed.')),
  prefix: z
    .optional(
      z.string().check(
        z.maxLength(100, 'must have at most 100 characters'),
        z.refine(text => !/[\p{Cc}*]/u.test(text), 'must hold neither control characters nor a *'),
        z.refine(text => text.trimStart() === text, 'must not start with a space'),
      ),
    )
    .check(z.describe('Text before each name, by which clients ask for the model.')),
  every: z
    .optional(
      durationWithin(ms => ms >= 10_000 && ms <= 7 * 86_400_000, 'must be at least 10s and at most 7d'),
    )
    .check(z.describe('Time between two refreshes; `10m` if absent.')),
});

const certificate = z.strictObject({ file: line }, 'must be { file: PATH }');

/** Certificates for connections to a provider: PEM files of the workers. */
const tls = z.strictObject({
  ca: z
    .optional(certificate)
    .check(
      z.describe(
        "The certificates of the CAs that the provider's certificate may be from, in place of the public ones.",
      ),
    ),
  cert: z.optional(certificate).check(z.describe('The client certificate, with its key.')),
  key: z.optional(certificate),
  serverName: z
    .optional(line)
    .check(
      z.describe("The name that the provider's certificate must have; if absent, the host of its base URL."),
    ),
});

const proxyUrl = z.string().check(
  z.refine(text => isHttp(URL.parse(text)), 'must be an http:// or https:// URL'),
  z.refine(
    text => !hasUser(URL.parse(text)),
    'must not hold a user name or password: use { url, username, password }',
  ),
);

const baseUrl = z.string().check(({ value, issues }) => {
  const url = URL.parse(value);
  const refuse = (message: string) => issues.push({ code: 'custom', input: value, message });
  if (!url || !isHttp(url)) refuse('must be an http:// or https:// URL');
  else if (hasUser(url)) refuse('must not hold a user name or password: use headers');
  else if (url.search || url.hash) refuse('must not hold a query or fragment');
});

function isHttp(url: URL | null): boolean {
  return /^https?:$/.test(url?.protocol ?? '');
}

function hasUser(url: URL | null): boolean {
  return Boolean(url?.username || url?.password);
}

const headerName = z.string().check(
  z.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not the name of a header'),
  z.refine(name => !isConnectionHeader(name), 'is a header that the gateway sets itself'),
);

/** The most API keys of a provider. */
const mostKeys = 100;

function apiKeys<Key extends z.ZodMiniType>(key: Key) {
  const one = z.strictObject({
    key,
    weight: z
      .optional(
        z.number().check(z.positive('must be greater than zero'), z.maximum(1_000, 'must be at most 1000')),
      )
      .check(z.describe('Share of requests that try this key first; 1 if absent.')),
    name: z
      .optional(z.string().check(z.regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 letters, digits, _, . or -')))
      .check(z.describe('The name by which the key rests and is shown; its position, from 1, if absent.')),
  });
  return z
    .array(one)
    .check(
      z.minLength(1, 'must hold at least one key'),
      z.maxLength(mostKeys, `must hold at most ${mostKeys} keys`),
      ({ value, issues }) => {
        const names = (value as { name?: string }[]).map(({ name }, at) => name ?? String(at + 1));
        for (const [at, name] of names.entries())
          if (names.indexOf(name) < at)
            issues.push({
              code: 'custom',
              input: name,
              path: [at, 'name'],
              message: 'is the name of another key',
            });
      },
    );
}

/** The settings of a provider that hold no secrets. */
const plainSettings = {
  kind: z
    .string()
    .check(
      z.describe(
        'The vendor or the server, such as `openai` or `anthropic`; `openai-compatible` for any other server of formats of OpenAI.',
      ),
    ),
  api: z
    .nullish(
      z.union(
        [z.enum(apis), z.array(z.enum(apis)).check(z.minLength(1, 'must name at least one'))],
        `must be one or more of ${apis.join(', ')}`,
      ),
    )
    .check(
      z.describe(
        "The formats that it speaks for generate, of OpenAI-style kinds: the preferred one first; if absent, the kind's.",
      ),
    ),
  batch: z
    .nullish(z.int('must be a whole number').check(z.positive('must be greater than zero')))
    .check(
      z.describe(
        "The most inputs of one embeddings request, or documents of one rerank request; if absent, the kind's. It is ignored for kinds without a limit.",
      ),
    ),
  streams: z
    .nullish(oneOf(['always', 'as-asked', 'never']))
    .check(
      z.describe(
        "Which requests in another format than the client's ask for a stream: `always`, `as-asked` or `never`, for servers whose streams lack usage or fail; if absent, `always`, so that an answer that nobody waits for any more can be stopped.",
      ),
    ),
  prefill: z
    .nullish(z.boolean())
    .check(
      z.describe(
        'True if its models continue a last message of the assistant; if absent, so for `openai-compatible`, `ollama`, local servers, `mistral` and `moonshot`.',
      ),
    ),
  models: z
    .nullish(
      z.union(
        [z.literal('discover'), discovery],
        'must be discover, or a mapping of discover: true, include, exclude, prefix and every',
      ),
    )
    .check(
      z.describe(
        '`discover`, or how the models that the provider lists are discovered; if absent, it has those that models name as targets.',
      ),
    ),
  options: z
    .nullish(z.record(z.string(), line))
    .check(z.describe('Settings that only its kind has, such as a region, by name.')),
  baseUrl: z
    .nullish(baseUrl)
    .check(
      z.describe(
        "As the vendor's SDK takes it, with or without its `/v1`; as it is for `openai-compatible`, which needs one, as `tei` and `azure-openai` do; if absent, the kind's.",
      ),
    ),
  tls: z
    .nullish(tls)
    .check(z.describe('Certificates: `{ ca, cert, key, serverName }`, PEM files of the workers and a name.')),
  pool: z
    .nullish(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')))
    .check(z.describe('The pool of the workers that can reach it (`GATEWAY_POOL`); `default` if absent.')),
};

/** The settings of a provider that hold secrets, with the forms that these may have. */
function secretSettings<
  Key extends z.ZodMiniType,
  Header extends z.ZodMiniType,
  Password extends z.ZodMiniType,
>({ key, header, password }: { key: Key; header: Header; password: Password }) {
  return {
    apiKey: z
      .nullish(key)
      .check(
        z.describe('`{ env: NAME }`, `{ file: PATH }` or `{ value: SECRET }`; absent if none is needed.'),
      ),
    apiKeys: z
      .nullish(apiKeys(key))
      .check(
        z.describe(
          'Several API keys in place of one. A request tries another one if its key is refused or used up.',
        ),
      ),
    headers: z
      .nullish(z.record(headerName, header))
      .check(z.describe('Sent with each request: texts, or secrets by `{ env }` or `{ file }`.')),
    proxy: z
      .nullish(
        z.union(
          [
            z.literal('none'),
            proxyUrl,
            z.strictObject({ url: proxyUrl, username: z.optional(line), password: z.optional(password) }),
          ],
          'must be none, a URL without credentials, or { url, username, password }',
        ),
      )
      .check(
        z.describe(
          '`none`, the URL of its proxy, or that with credentials; if absent, the proxy of the environment of the workers.',
        ),
      ),
  };
}

/** A provider of gateway.yaml. */
export const statedProvider = z.strictObject({
  name: entryName,
  ...stated(plainSettings),
  ...stated(secretSettings({ key: secret, header: headerValue, password: secret })),
});

/** The settings of a provider by the API. Null and an absent field set nothing. */
export const providerSettings = z.strictObject({
  name: z.optional(entryName).check(z.describe('The name in the path, if present.')),
  ...plainSettings,
  ...secretSettings({
    key: z.union([...secret.def.options, isKept]),
    header: z.union([...headerValue.def.options, isSet]),
    password: z.union([...secret.def.options, isSet]),
  }),
});
export type ProviderSettings = z.infer<typeof providerSettings>;

/** A provider in force. Secrets are shown as `{ "set": true }`. */
export const providerInfo = z.object({
  ...entry,
  ...shown(plainSettings),
  ...shown(secretSettings({ key: shownSecret, header: shownSecret, password: shownSecret })),
  headers: z.record(z.string(), shownSecret),
  pool: z.string(),
  options: z.record(z.string(), z.string()),
  models: z.nullable(discovery),
  discovered: z
    .nullable(
      z.object({
        models: z.int().check(z.describe('The number of models in the last list.')),
        refreshedAt: z
          .nullable(z.string())
          .check(z.describe('The time of the last list, in RFC 3339; null before the first.')),
        error: z
          .nullable(z.string())
          .check(z.describe('The reason why the last refresh failed; null if it did not.')),
      }),
    )
    .check(z.describe('The state of discovery; null without.')),
});
export type ProviderInfo = z.infer<typeof providerInfo>;
export const providerList = pageOf(providerInfo);
