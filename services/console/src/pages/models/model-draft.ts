import type { ModelInfo, ModelSettings } from '@model-gateway/admin-api';
import { randomKey } from '../layout/random-key.ts';
import type { AmountsDraft } from '../settings-form/price-kinds.ts';

export const strategies = ['ordered', 'weighted', 'least-busy', 'fastest', 'cheapest'] as const;
export const causes = ['rateLimit', 'outage', 'contextLength', 'contentPolicy'] as const;
export type Cause = (typeof causes)[number];

/** A target as it is typed. */
export interface TargetDraft {
  key: string;
  provider: string;
  model: string;
  weight: number | '';
  price: AmountsDraft;
}

/** A model as it is typed. An empty text is not set. */
export interface ModelDraft {
  name: string;
  targets: TargetDraft[];
  strategy: string;
  retries: number | '';
  fallbacks: Record<Cause, string[]>;
  affinity: boolean;
  hedgeAfter: string;
  timeouts: { firstToken: string; idle: string; total: string };
  limits: { context: number | ''; maxOutput: number | '' };
  price: AmountsDraft;
  drop: string[];
  realtime: { by: '' | 'upstream' | 'gateway'; transcription: string; speech: string; voice: string };
}

export const noTarget = (): TargetDraft => ({
  key: randomKey(),
  provider: '',
  model: '',
  weight: '',
  price: {},
});

/** Returns the form's values for a model that is added. */
export const newModel = (): ModelDraft => ({
  name: '',
  targets: [noTarget()],
  strategy: '',
  retries: '',
  fallbacks: { rateLimit: [], outage: [], contextLength: [], contentPolicy: [] },
  affinity: true,
  hedgeAfter: '',
  timeouts: { firstToken: '', idle: '', total: '' },
  limits: { context: '', maxOutput: '' },
  price: {},
  drop: [],
  realtime: { by: '', transcription: '', speech: '', voice: '' },
});

/** Returns the form's values for a model. */
export function draftOfModel(model: ModelInfo): ModelDraft {
  const { name, targets, strategy, retries, fallbacks, affinity, hedgeAfter, timeouts, limits } = model;
  const blank = newModel();
  return {
    ...{ name, strategy: strategy ?? '', retries: retries ?? '', hedgeAfter: hedgeAfter ?? '' },
    targets: targets.map(({ provider, model: upstream, weight, price }, place) => ({
      ...{ key: String(place), provider, model: upstream, weight: weight ?? '', price: price ?? {} },
    })),
    fallbacks: { ...blank.fallbacks, ...fallbacks },
    affinity: affinity ?? true,
    timeouts: { ...blank.timeouts, ...timeouts, total: timeouts.total === '30m' ? '' : timeouts.total },
    limits: { ...blank.limits, ...limits },
    price: model.price ?? {},
    drop: model.drop,
    realtime: realtimeOf(model, blank),
  };
}

function realtimeOf({ realtime }: ModelInfo, blank: ModelDraft): ModelDraft['realtime'] {
  if (realtime === null) return blank.realtime;
  if (realtime === 'upstream') return { ...blank.realtime, by: 'upstream' };
  return { ...blank.realtime, ...realtime, by: 'gateway' };
}

/** Returns the settings that a form has, without the name. */
export function settingsOfDraft(draft: ModelDraft): ModelSettings {
  const { targets, strategy, fallbacks, affinity, timeouts, limits, drop, price } = draft;
  const optional = {
    retries: draft.retries,
    hedgeAfter: draft.hedgeAfter.trim(),
    strategy: strategy as ModelSettings['strategy'],
    fallbacks: stated(fallbacks),
    timeouts: stated(timeouts),
    limits: stated(limits),
    price: stated(price),
    drop,
    realtime: realtimeIn(draft),
  };
  return {
    targets: targets.map(({ provider, model, weight, price: own }) => ({
      ...{ provider: provider.trim(), model: model.trim() },
      ...stated({ weight, price: stated(own) }),
    })),
    ...stated(optional),
    ...(!affinity && { affinity }),
  } as ModelSettings;
}

function realtimeIn({ realtime: { by, ...models } }: ModelDraft): ModelSettings['realtime'] {
  if (by === '') return undefined;
  return by === 'upstream' ? by : (stated(models) ?? {});
}

/** Leaves out what is empty; undefined if nothing is left. */
function stated(fields: object): object | undefined {
  const kept = Object.entries(fields).filter(
    ([, value]) => value !== '' && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
