import type { LoggingSettings, ProjectInfo, ProjectSettings } from '@model-gateway/admin-api';
import { type BudgetDraft, budgetOfDraft, draftOfBudget } from '../settings-form/budget-draft.ts';
import { draftOfLimits, type LimitsDraft, limitsOfDraft } from '../settings-form/limits-draft.ts';
import type { OwnPrice, PriceDraft } from '../settings-form/price-kinds.ts';

type Redaction = NonNullable<LoggingSettings['redact']>[number];
type OwnPattern = Exclude<Redaction, string>;

/** Request logging in a form. The patterns are a list, so that they can be incomplete while they are typed. */
export interface LoggingDraft {
  on: boolean;
  /** In percent. */
  sample: number | '';
  kinds: string[];
  patterns: (OwnPattern & { key: string })[];
  retentionDays: number | '';
  maxBytes: number | '';
}

/** The settings of a project in a form. */
export interface ProjectDraft {
  limits: LimitsDraft;
  budget: BudgetDraft;
  allowUnpriced: boolean;
  prices: PriceDraft[];
  weight: number | '';
  storeResponses: boolean;
  storeErrors: boolean;
  logging: LoggingDraft;
}

/** Returns the values of the form for a project. */
export function draftOfProject(project: ProjectInfo): ProjectDraft {
  const { limits, budget, allowUnpriced, prices, weight, storeResponses, storeErrors, logging } = project;
  return {
    limits: draftOfLimits(limits),
    budget: draftOfBudget(budget),
    allowUnpriced: allowUnpriced ?? false,
    prices: Object.entries(prices ?? {}).map(([model, amounts]) => ({ key: model, model, amounts })),
    weight: weight ?? '',
    storeResponses: storeResponses ?? true,
    storeErrors: storeErrors ?? true,
    logging: draftOfLogging(logging),
  };
}

/** Returns the settings that a form has. */
export function settingsOfDraft(draft: ProjectDraft): ProjectSettings {
  return {
    limits: limitsOfDraft(draft.limits),
    budget: budgetOfDraft(draft.budget),
    allowUnpriced: draft.allowUnpriced || null,
    prices: pricesOfDraft(draft.prices),
    weight: draft.weight === '' ? null : draft.weight,
    storeResponses: draft.storeResponses ? null : false,
    storeErrors: draft.storeErrors ? null : false,
    logging: draft.logging.on ? loggingOfDraft(draft.logging) : null,
  };
}

/** Removes what is left of a binary fraction, as in 7.000000000000001. */
function rounded(value: number): number {
  return Number(value.toFixed(9));
}

function draftOfLogging(logging: LoggingSettings | null): LoggingDraft {
  const { sample, redact = [], retentionDays = '', maxBytes = '' } = logging ?? { sample: 1 };
  return {
    on: logging !== null,
    sample: rounded(sample * 100),
    kinds: redact.filter(entry => typeof entry === 'string'),
    patterns: redact.flatMap(entry => (typeof entry === 'string' ? [] : { ...entry, key: entry.name })),
    retentionDays,
    maxBytes,
  };
}

function loggingOfDraft({ sample, kinds, patterns, retentionDays, maxBytes }: LoggingDraft): LoggingSettings {
  const redact = [...kinds, ...patterns.map(({ name, pattern }) => ({ name, pattern }))] as Redaction[];
  return {
    sample: rounded(Number(sample) / 100),
    ...(redact.length > 0 && { redact }),
    ...(retentionDays !== '' && { retentionDays }),
    ...(maxBytes !== '' && { maxBytes }),
  };
}

function pricesOfDraft(prices: readonly PriceDraft[]): ProjectSettings['prices'] {
  const named = prices.filter(({ model }) => model.trim() !== '');
  if (named.length === 0) return null;
  return Object.fromEntries(
    named.map(({ model, amounts }) => {
      const stated = Object.entries(amounts).filter(([, amount]) => amount !== '' && amount !== undefined);
      return [model.trim(), Object.fromEntries(stated) as OwnPrice];
    }),
  );
}
