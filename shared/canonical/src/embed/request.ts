import type { WireFormat } from '../wire-format.ts';

/** An input to embed: a text, the token ids of one, or an object such as `{ image }`, which only some formats have. */
export type EmbedInput = string | number[] | Record<string, unknown>;

/** Purposes of a vector, for models that make a different vector for each. */
const embedTasks = [
  'query',
  'document',
  'similarity',
  'classification',
  'clustering',
  'question-answering',
  'fact-verification',
  'code-query',
] as const;
export type EmbedTask = (typeof embedTasks)[number];

/** A request to embed texts. */
export interface EmbedRequest {
  inputs: EmbedInput[];
  /** Numbers per vector. */
  dimensions?: number;
  task?: EmbedTask;
  /** Title of the documents, for models that take one; it applies to all inputs. */
  title?: string;
  /** True if an input that is too long is truncated; if absent, the upstream decides. */
  truncate?: boolean;
  /** Encoding that the client requested; an upstream may send another. */
  encoding?: 'float' | 'base64';
  /** Type of the vectors' numbers, such as `int8`; 32-bit floats if absent. */
  numbers?: string;
  user?: string;
  /** Fields that only one format has, keyed by that format. */
  extensions?: Partial<Record<WireFormat, Record<string, unknown>>>;
}
