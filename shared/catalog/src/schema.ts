import {
  type budgetSettings,
  type FallbackCause,
  loggingSettings,
  type priceSettings,
  type redactedKinds,
  statedModel,
  statedProject,
  statedProvider,
  statedUser,
} from '@model-gateway/admin-api/settings';
import { durationMs } from '@model-gateway/canonical';
import { providerProfiles } from '@model-gateway/providers';
import { z } from 'zod/mini';
import { patternProblem } from './linear-pattern.ts';

type ProviderText = z.infer<typeof statedProvider>;
type ModelText = z.infer<typeof statedModel>;

/** The defaults of a provider's settings. */
const providerDefaults: Required<Pick<ProviderText, 'headers' | 'pool'>> = { headers: {}, pool: 'default' };
/** The defaults of a model's settings. */
const modelDefaults: Required<Pick<ModelText, 'limits' | 'drop'>> = { limits: {}, drop: [] };
const usualTotal = '30m';
/** The settings that a provider or a model has if it states no other, as gateway.yaml has them. */
export const entryDefaults = { ...providerDefaults, ...modelDefaults, timeouts: { total: usualTotal } };

const provider = z.pipe(
  z.extend(statedProvider, {
    kind: z.string().check(
      z.refine(kind => Object.hasOwn(providerProfiles, kind), {
        error: () => `must be one of ${Object.keys(providerProfiles).join(', ')}`,
      }),
    ),
  }),
  z.transform(({ baseUrl, models, ...provider }: ProviderText) => ({
    ...providerDefaults,
    ...provider,
    ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }),
    ...(models !== undefined && { models: discoveryOf(models) }),
  })),
);

/** The discovery of a provider's models; `every` is in milliseconds. */
export type Discovery = ReturnType<typeof discoveryOf>;

function discoveryOf(models: NonNullable<ProviderText['models']>) {
  const { every, ...discovery } = models === 'discover' ? { discover: true as const } : models;
  return { ...discovery, ...(every !== undefined && { every: msOf(every) }) };
}

export const modelSchema = z.pipe(
  statedModel,
  z.transform(({ fallbacks, hedgeAfter, timeouts, ...model }: ModelText) => ({
    ...modelDefaults,
    ...model,
    ...(fallbacks !== undefined && { fallbacks: fallbacksOf(fallbacks) }),
    ...(hedgeAfter !== undefined && { hedgeAfter: msOf(hedgeAfter) }),
    timeouts: timeoutsOf(timeouts),
  })),
);

/** The models that take a request over, by cause. */
type Fallbacks = Partial<Record<FallbackCause, string[]>>;

function fallbacksOf(stated: string[] | Fallbacks): Fallbacks {
  return Array.isArray(stated) ? { rateLimit: stated, outage: stated } : stated;
}

/** Returns the times of a model in milliseconds. */
function timeoutsOf({ firstToken, idle, total = usualTotal }: ModelText['timeouts'] = {}) {
  return {
    ...(firstToken !== undefined && { firstToken: msOf(firstToken) }),
    ...(idle !== undefined && { idle: msOf(idle) }),
    total: msOf(total),
  };
}

/** Returns the milliseconds of a duration that the shape has checked. */
function msOf(text: string): number {
  return durationMs(text) ?? 0;
}

/** The days for which texts are stored unless `retentionDays` is set. */
export const usualRetentionDays = 30;
/** The most bytes of a text unless `maxBytes` is set. */
export const usualMaxBytes = 64 * 1024;

export type RedactedKind = (typeof redactedKinds)[number];

/** Request logging of a project, with regular expressions that can be compiled. */
export const logging = loggingSettings.check(({ value: { redact = [] }, issues }) => {
  for (const [at, redaction] of redact.entries()) {
    const message = typeof redaction === 'string' ? undefined : patternProblem(redaction.pattern);
    if (message) issues.push({ code: 'custom', input: redaction, path: ['redact', at, 'pattern'], message });
  }
});
export type Logging = z.infer<typeof logging>;

const project = z.extend(statedProject, { logging: z.optional(logging) });

/** The complete gateway.yaml. */
export const catalogSchema = z.strictObject({
  providers: z.array(provider),
  models: z.array(modelSchema),
  projects: z._default(z.array(project), []),
  users: z._default(z.array(statedUser), []),
});

export type Provider = z.infer<typeof provider>;
export type Model = z.infer<typeof modelSchema>;
export type Project = z.infer<typeof project>;
export type User = z.infer<typeof statedUser>;
export type Budget = z.infer<typeof budgetSettings>;
export type Price = z.infer<typeof priceSettings>;
/** The price of the usual service tier alone. */
export type PriceAmounts = Omit<Price, 'tier'>;
export type Target = Model['targets'][number];
export type CatalogFile = z.infer<typeof catalogSchema>;
