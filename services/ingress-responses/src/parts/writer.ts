import type { PartEndEvent } from '@model-gateway/canonical';

export type PartEnd = Pick<PartEndEvent, 'signature' | 'citations'>;

/** Writes one part of an answer, from its turn on. */
export interface PartWriter {
  /** What shows it before it has any text. */
  begin?(): string;
  /** More of its text, which is not empty. */
  write(text: string): string;
  end(end: PartEnd): string;
}
