import type { NewToken } from '@model-gateway/admin-api';
import type { Price } from '@model-gateway/catalog';
import type { Remark } from './account.ts';

/** The result of an import, of which nothing is written or created yet. */
export interface Imported {
  /** The content of gateway.yaml. */
  catalog: CatalogDraft;
  /** Comments for gateway.yaml by the path of what they are about, such as `models.3`. */
  comments: ReadonlyMap<string, string>;
  /** Values of the environment variables that gateway.yaml names and the source holds. */
  secrets: ReadonlyMap<string, string>;
  tokens: readonly ImportedToken[];
  remarks: readonly Remark[];
}

/** A token to be created. */
export interface ImportedToken {
  /** Where it is in the source. */
  from: string;
  wanted: NewToken & { sha256: string };
}

/** The content of gateway.yaml as it is written: times are texts such as `30s`. */
export interface CatalogDraft {
  providers: ProviderDraft[];
  models: ModelDraft[];
  projects?: ProjectDraft[];
  users?: UserDraft[];
}

export interface ProviderDraft {
  name: string;
  kind: string;
  baseUrl?: string;
  options?: Record<string, string>;
  api?: string[];
  apiKey?: { env: string };
  headers?: Record<string, string>;
}

export interface TargetDraft {
  provider: string;
  model: string;
  weight?: number;
  price?: Price;
}

export interface ModelDraft {
  name: string;
  targets: TargetDraft[];
  strategy?: string;
  retries?: number;
  /** A list is for `rateLimit` and `outage`. */
  fallbacks?: FallbacksDraft | string[];
  timeouts?: { firstToken?: string; idle?: string; total?: string };
  price?: Price;
  limits?: { context?: number; maxOutput?: number };
  realtime?: 'upstream';
  drop?: string[];
}

export interface FallbacksDraft {
  contextLength?: string[];
  contentPolicy?: string[];
  rateLimit?: string[];
  outage?: string[];
}

type Limits = NonNullable<NewToken['limits']>;
type Budget = NonNullable<NewToken['budget']>;

export interface ProjectDraft {
  name: string;
  limits?: Limits;
  budget?: Budget;
  allowUnpriced?: true;
  prices?: Record<string, Price>;
}

export interface UserDraft {
  name: string;
  budget?: Budget;
}
