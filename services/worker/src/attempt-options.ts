import type { Faults, ServedCall, UsageWriter } from '@model-gateway/bus';
import type { GatewayError, Timeouts } from '@model-gateway/canonical';
import type { MeasureStream } from './attempt-timers.ts';
import type { CallTrace } from './call-trace.ts';
import type { DeliveredCall } from './delivery.ts';
import type { ExchangeOptions } from './exchange.ts';
import type { NoteReason } from './unknown-reasons.ts';

/** A request to one upstream, and the parts that an attempt needs. */
export interface AttemptOptions
  extends Pick<ExchangeOptions, 'upstream' | 'input' | 'decoding' | 'answers' | 'large' | 'clock'> {
  call: Pick<ServedCall, 'signal' | 'announce'> & DeliveredCall;
  timeouts: Timeouts;
  usage: Pick<UsageWriter, 'add'>;
  streams?: MeasureStream | undefined;
  /** Takes the finish reasons that are not known; if absent, they are only told as cuts. */
  reasons?: NoteReason | undefined;
  trace?: CallTrace | undefined;
  /** True if the ledger keeps the upstream's message of a failure. */
  storesErrors?: boolean;
  /** True for a failure after which the request is sent to the same target in another way; if absent, there is none. */
  sendsAgain?: ((error: GatewayError) => boolean) | undefined;
  /** Takes what callbacks throw; if absent, it only fails the attempt. */
  faults?: Pick<Faults, 'report'> | undefined;
}

/** Returns what is asked of the upstream. */
export function exchangeOf(options: AttemptOptions): ExchangeOptions {
  const { call, upstream, input, clock, decoding, answers, large } = options;
  const { envelope, signal } = call;
  const { stream, bytes = false, operation } = envelope;
  // A verbatim request follows the client; a translated generate request always streams; others never do.
  const asksStream = input.body === 'canonical' ? operation === 'generate' : stream;
  const streamsOn = (stream && asksStream) || bytes;
  return {
    ...{ envelope, upstream, input, asksStream, streamsOn, decoding, answers, large, signal, clock },
  };
}
