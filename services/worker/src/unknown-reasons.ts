import type { Envelope } from '@model-gateway/canonical';
import type { Catalog } from '@model-gateway/catalog';
import { reasonMeaning } from '@model-gateway/formats/upstream';
import { counter, type Log, otherName, type Registry } from '@model-gateway/service';

/** The attempt whose answer ended. */
interface Ended {
  call: { envelope: Pick<Envelope, 'requestId' | 'model'> };
  upstream: { provider: string };
  /** Holds the model's name at the provider. */
  input: { model: string };
}

/** Takes the finish reason of an answer that ended for `other`. */
export type NoteReason = (raw: string | null, attempt: Ended) => void;

/** The most characters of a reason that are logged. */
const maxLogged = 100;

/** Returns the function that logs and counts the finish reasons that no list has: their answers are told as cuts. */
export function noteReasons(
  catalog: Pick<Catalog, 'provider'>,
  metrics: Registry,
  log: Pick<Log, 'warn'>,
): NoteReason {
  const unknown = counter(metrics, 'gateway_unknown_finish_reasons_total');
  return (raw, { call, upstream: { provider }, input }) => {
    if (raw === null || reasonMeaning(raw) !== undefined) return;
    unknown.inc({ provider: catalog.provider(provider) ? provider : otherName });
    const { requestId, model } = call.envelope;
    const target = { provider, model: input.model };
    log.warn({ requestId, model, target, finishReason: raw.slice(0, maxLogged) }, 'unknown finish reason');
  };
}
