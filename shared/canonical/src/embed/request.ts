import type { WireFormat } from '../wire-format.ts';

/** An input to embed: a text, or the token ids of one. */
export type EmbedInput = string | number[];

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
  user?: string;
  /** Fields that only one format has, keyed by that format. */
  extensions?: Partial<Record<WireFormat, Record<string, unknown>>>;
}
