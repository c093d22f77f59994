import type { WireFormat } from '../envelope.ts';

/** What is embedded: a text, or one that the client has tokenised. */
export type EmbedInput = string | number[];

/** What the vectors are for, where a model makes different ones. */
export const embedTasks = [
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

/** A request for the vectors of texts. */
export interface EmbedRequest {
  inputs: EmbedInput[];
  /** How many numbers a vector has. */
  dimensions?: number;
  task?: EmbedTask;
  /** Of the documents, for the models that take one; it is that of all inputs. */
  title?: string;
  /** Whether an input that is too long is cut; where absent, as the upstream does. */
  truncate?: boolean;
  /** How the client wants the vectors written; an upstream may write them otherwise. */
  encoding?: 'float' | 'base64';
  user?: string;
  /** Fields that only one format has, by that format. */
  extensions?: Partial<Record<WireFormat, Record<string, unknown>>>;
}
