import { z } from 'zod/mini';
import { entry } from './entry.ts';
import { durationWithin, entryName, entryPattern, line } from './name.ts';
import { pageOf } from './page.ts';
import { priceSettings } from './price.ts';
import { shown, stated } from './stated.ts';

const target = z.strictObject({
  provider: entryName,
  model: entryPattern.check(
    z.describe("The model's name at the provider; `*` stands for the text that the model's `*` matched."),
  ),
  weight: z
    .optional(z.number().check(z.nonnegative('must not be negative')))
    .check(
      z.describe(
        'Share of requests that try this target first. If other targets have a weight, a missing one counts as 0.',
      ),
    ),
  price: z
    .optional(priceSettings)
    .check(z.describe('Price of its answers; if absent, the price of the model.')),
});

/**
 * The order in which a model's targets are tried: as they are stated, by weight, or the one with the fewest running requests,
 * the shortest recent time to the first token or the lowest price first.
 */
export const strategies = ['ordered', 'weighted', 'least-busy', 'fastest', 'cheapest'] as const;

/**
 * Reasons to send a request to another model: the prompt is too long, the provider's content policy refuses it, a rate
 * limit or quota is used up, or the model's targets do not answer.
 */
const fallbackCauses = ['contextLength', 'contentPolicy', 'rateLimit', 'outage'] as const;
export type FallbackCause = (typeof fallbackCauses)[number];

const names = z.array(entryName).check(z.maxLength(10, 'must hold at most 10 names'));
const fallbacks = z.strictObject({
  contextLength: z.optional(names),
  contentPolicy: z.optional(names),
  rateLimit: z.optional(names),
  outage: z.optional(names),
});

const wait = durationWithin(
  ms => ms > 0 && ms <= 24 * 86_400_000,
  'must be longer than zero and at most 24d',
);
const timeouts = {
  firstToken: z
    .optional(wait)
    .check(
      z.describe(
        "Until a stream's first event; a comment of the upstream restarts it. If absent, `60s`; for images `5m`; for `openai-compatible` and `ollama` `10m`.",
      ),
    ),
  idle: z
    .optional(wait)
    .check(
      z.describe(
        'Between two reads of a stream; stopped while the client is slow. If absent, `60s`; for images `5m`.',
      ),
    ),
};
const total = z.optional(wait).check(z.describe('For the whole answer; `30m` if absent.'));
const count = z.int('must be a whole number').check(z.positive('must be greater than zero'));
const limits = z.strictObject({
  context: z.optional(count).check(z.describe('The longest prompt with its answer, in tokens.')),
  maxOutput: z.optional(count).check(z.describe('The longest answer, in tokens.')),
});

const realtime = z.union(
  [
    z.literal('upstream'),
    z.strictObject({
      transcription: z.optional(entryName).check(z.describe("The model that transcribes the user's speech.")),
      speech: z
        .optional(entryName)
        .check(z.describe('The model that speaks, in its default voice if `voice` is absent.')),
      voice: z.optional(line),
    }),
  ],
  'must be upstream, or a mapping of transcription, speech and voice',
);

const settings = {
  targets: z
    .array(target)
    .check(
      z.minLength(1, 'must hold at least one target'),
      z.describe('The models of providers that serve it: `{ provider, model, weight?, price? }` each.'),
    ),
  strategy: z
    .nullish(z.enum(strategies, `must be one of ${strategies.join(', ')}`))
    .check(
      z.describe(
        'Which target is tried first: `ordered`, `weighted`, `least-busy`, `fastest` or `cheapest`; if absent, `weighted` if a target has a weight, else `ordered`.',
      ),
    ),
  retries: z
    .nullish(
      z
        .int('must be a whole number')
        .check(z.minimum(0, 'must not be negative'), z.maximum(5, 'must be at most 5')),
    )
    .check(
      z.describe(
        'The most times that a request is sent again once every target has failed; if absent, none: clients retry, too.',
      ),
    ),
  fallbacks: z
    .nullish(
      z.union(
        [names, fallbacks],
        `must be a list of models, or a mapping of ${fallbackCauses.join(', ')} to such lists`,
      ),
    )
    .check(
      z.describe(
        'Names of the models that take a request over, by cause; a list is for `rateLimit` and `outage`.',
      ),
    ),
  affinity: z
    .nullish(z.boolean())
    .check(
      z.describe('False if turns of one conversation need not go to the same target; if absent, they do.'),
    ),
  hedgeAfter: z
    .nullish(wait)
    .check(
      z.describe(
        'Time without an answer after which a second target is asked, too, such as `2s`; if absent, never.',
      ),
    ),
  timeouts: z
    .nullish(z.strictObject({ ...timeouts, total }))
    .check(z.describe('The longest waits: `firstToken`, `idle` and `total`.')),
  price: z
    .nullish(priceSettings)
    .check(z.describe("Price of its targets' answers; if absent, the vendor's list price.")),
  limits: z.nullish(limits).check(z.describe('The longest prompt and answer: `context` and `maxOutput`.')),
  realtime: z
    .nullish(realtime)
    .check(
      z.describe(
        'Realtime sessions: `upstream` if the provider serves them, or `{ transcription, speech, voice }` if the gateway does with the help of other models.',
      ),
    ),
  drop: z
    .nullish(z.array(line))
    .check(z.describe('Request fields that the targets do not accept, such as `[temperature]`.')),
};

/** A model of gateway.yaml. */
export const statedModel = z.strictObject({
  name: entryPattern.check(z.describe('The name that clients use; with a `*`, every name that matches.')),
  ...stated(settings),
});

/** The settings of a model by the API. Null and an absent field set nothing. */
export const modelSettings = z.strictObject({
  name: z.optional(entryPattern).check(z.describe('The name in the path, if present.')),
  ...settings,
});
export type ModelSettings = z.infer<typeof modelSettings>;

/** A model in force. */
export const modelInfo = z.object({
  ...entry,
  ...shown(settings),
  fallbacks: z.nullable(fallbacks),
  timeouts: z.object({ ...timeouts, total: wait }),
  limits,
  drop: z.array(z.string()),
  operations: z.array(z.string()).check(z.describe('The operations that its targets support.')),
});
export type ModelInfo = z.infer<typeof modelInfo>;
export const modelList = pageOf(modelInfo);
