import type { NewToken } from '@model-gateway/admin-api';

export type Limits = NonNullable<NewToken['limits']>;

export const rates = ['requestsPerMinute', 'tokensPerMinute', 'concurrency'] as const;
export type Rate = (typeof rates)[number];

/** Limits as they are typed: an empty text is a limit that is not set. */
export type RatesDraft = Record<Rate, number | ''>;

/** Limits in a form. The models are a list, so that a name can be empty or twice in it while it is typed. */
export interface LimitsDraft extends RatesDraft {
  models: { key: string; name: string; rates: RatesDraft }[];
}

export const noRates: RatesDraft = { requestsPerMinute: '', tokensPerMinute: '', concurrency: '' };
export const noLimits: LimitsDraft = { ...noRates, models: [] };

/** Returns the form's values for the limits of a resource; null for none. */
export function draftOfLimits(limits: Limits | null | undefined): LimitsDraft {
  const models = Object.entries(limits?.models ?? {});
  return {
    ...draftOfRates(limits ?? {}),
    models: models.map(([name, given]) => ({ key: name, name, rates: draftOfRates(given) })),
  };
}

/** Returns the limits that a form has, or null if none is set. A model whose name is empty is left out. */
export function limitsOfDraft({ models, ...typed }: LimitsDraft): Limits | null {
  const named = models.filter(({ name }) => name.trim() !== '');
  const limits = {
    ...ratesOfDraft(typed),
    ...(named.length > 0 && {
      models: Object.fromEntries(named.map(({ name, rates }) => [name.trim(), ratesOfDraft(rates)])),
    }),
  };
  return Object.keys(limits).length > 0 ? limits : null;
}

/** Returns the names that more than one line of a form has. */
export function repeatedNames(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, place) => name !== '' && names.indexOf(name) !== place));
}

function draftOfRates(limits: Partial<Record<Rate, number | undefined>>): RatesDraft {
  return {
    requestsPerMinute: limits.requestsPerMinute ?? '',
    tokensPerMinute: limits.tokensPerMinute ?? '',
    concurrency: limits.concurrency ?? '',
  };
}

function ratesOfDraft(typed: RatesDraft): Partial<Record<Rate, number>> {
  return Object.fromEntries(
    rates.filter(rate => typed[rate] !== '').map(rate => [rate, Number(typed[rate])]),
  );
}
