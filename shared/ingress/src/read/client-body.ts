import type { Turn } from '@model-gateway/json';
import type { ReceivedForm } from '../form/received.ts';

/** A request's body as the client sent it. `turn` separates the steps of work on a large one. */
export type ClientBody =
  | { type: 'text'; text: Buffer; turn: Turn }
  | { type: 'form'; form: ReceivedForm; turn: Turn };
