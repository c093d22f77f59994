import { fromErrorEvent, GatewayError, type GenerateEvent, type Timeouts } from '@model-gateway/canonical';
import { systemClock } from '@model-gateway/clock';
import { fixedConnection } from '@model-gateway/providers';
import type { Dispatcher } from 'undici';
import { attempt } from '../../../services/worker/src/attempt.ts';
import type { AttemptOptions } from '../../../services/worker/src/exchange.ts';
import { told } from './told.ts';

const never = 2 ** 31 - 1;
const decoder = {
  read: (): GenerateEvent[] => [
    { type: 'start', id: '', model: 'm' },
    { type: 'part-start', part: { type: 'text' } } as never,
  ],
  end: () => [],
};

/** Returns the client's answer for an upstream with this behaviour; `timeouts` replaces some timeouts. */
export async function attempted(
  behave: (upstream: Dispatcher.DispatchHandler) => void,
  timeouts: Partial<Timeouts> = {},
  stream = true,
): Promise<string> {
  const sent: GenerateEvent[] = [];
  const options = {
    call: {
      envelope: { stream, operation: 'generate', format: 'chat', token: {}, headers: {} },
      signal: new AbortController().signal,
      send: (events: GenerateEvent[]) => sent.push(...events) > 0,
      announce: () => '',
    },
    upstream: {
      provider: 'p',
      connection: fixedConnection('http://127.0.0.1', {}),
      headers: {},
      dialect: {
        encode: () => ({ path: '/', body: Buffer.alloc(0), headers: {} }),
        decodeStream: () => decoder,
        decodeWhole: () => decoder,
      },
    },
    input: { model: 'm', drop: [] },
    clock: systemClock,
    timeouts: { firstToken: never, idle: never, total: never, ...timeouts },
    usage: { add: () => {} },
  };
  const controller = { pause: () => {}, resume: () => {}, abort: () => {} };
  const dispatcher = {
    dispatch(_request: unknown, handler: Dispatcher.DispatchHandler) {
      handler.onRequestStart?.(controller as never, {});
      behave(handler);
    },
  };
  const failed = await attempt(dispatcher as unknown as Dispatcher, options as unknown as AttemptOptions);
  if (failed) return told(failed);
  const last = sent.at(-1);
  if (last?.type === 'error') return told(fromErrorEvent(last));
  throw new GatewayError('internal', 'the upstream did not fail');
}

/** An upstream that sends bytes, as a stream or whole, and then stays silent. */
export function answering(bytes: Buffer, mediaType: string) {
  return (handler: Dispatcher.DispatchHandler) => {
    handler.onResponseStart?.({} as never, 200, { 'content-type': mediaType }, 'OK');
    handler.onResponseData?.({} as never, bytes);
  };
}
