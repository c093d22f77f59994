import { type Operation, toGatewayError } from '@model-gateway/canonical';
import { batchOf, type Provider, timeoutsFor } from '@model-gateway/catalog';
import { answerBounds, stepBytes } from '@model-gateway/json';
import { profileOf, providerProfiles, tokenMs } from '@model-gateway/providers';
import { EventTooLarge, maxEventLines, maxSseEvent } from '@model-gateway/sse';
import { endMarkMs } from '../../../../services/worker/src/attempt-timers.ts';
import { inflated, inflationCountsFrom, mostInflation } from '../../../../services/worker/src/body-form.ts';
import {
  maxEvents,
  threadHeap,
  unreadable as threadLost,
  tooLargeToTranslate,
} from '../../../../services/worker/src/decoding.ts';
import { maxFailure, maxWhole } from '../../../../services/worker/src/exchange.ts';
import { fanOut, maxCalls } from '../../../../services/worker/src/fan-out.ts';
import { maxDialMs, mostMessages } from '../../../../services/worker/src/realtime/bridge.ts';
import { maxMessage, maxRefusal } from '../../../../services/worker/src/realtime/bridge-dial.ts';
import { maxInspected } from '../../../../services/worker/src/realtime/bridge-received.ts';
import { mostResponses } from '../../../../services/worker/src/realtime/bridge-usage.ts';
import { maxShown } from '../../../../services/worker/src/redact.ts';
import { connectMs, maxHeaders } from '../../../../services/worker/src/upstream-connections.ts';
import { accessMs, behindMs } from '../../../../services/worker/src/upstreams.ts';
import { modelSchema } from '../../../../shared/catalog/src/schema.ts';
import { maxToolCalls, ToolCalls } from '../../../../shared/formats/src/chat/decode-tool-calls.ts';
import { maxDelayMs } from '../../../../shared/formats/src/upstream/failure-body.ts';
import { malformed, tooLargeEvent } from '../../../../shared/formats/src/upstream/malformed.ts';
import { checkStops, maxStopLength, maxStops } from '../../../../shared/formats/src/upstream/stop-cut.ts';
import { longestDoubtMs } from '../../../../shared/ingress/src/health/choose-failover.ts';
import { retryShare, spareRetries } from '../../../../shared/ingress/src/health/retry-budget.ts';
import { answering, attempted } from '../attempted.ts';
import type { Bound, Section } from '../bound.ts';
import { refusal, told } from '../told.ts';
import { count, size, time } from '../written.ts';

export async function answers(): Promise<Section> {
  return {
    title: 'Answers of upstreams',
    intro:
      'An upstream that exceeds a bound has failed. If the client got nothing of the answer, [the next target](trip.md#what-fails-and-what-the-client-sees) is tried, and the client gets the error of the last one. What a worker holds of answers is bounded [with its capacity](#capacity-and-queue).',
    bounds: [...(await times()), ...(await sizes()), ...(await requests())],
  };
}

async function times(): Promise<Bound[]> {
  const { timeouts } = modelSchema.parse({ name: 'm', targets: [{ provider: 'p', model: 'm' }] });
  const usual = timeoutsFor({ timeouts }, 'generate');
  const image = timeoutsFor({ timeouts }, 'image');
  const local = timeoutsFor({ timeouts }, 'generate', profileOf('ollama'));
  const setting = (name: keyof typeof usual) => `\`timeouts.${name}\` of the [model](configuration.md)`;
  return [
    {
      what: 'Time to accept a connection',
      limit: time(connectMs),
      told: await attempted(handler => handler.onResponseError?.({} as never, new Error('refused'))),
    },
    {
      what: 'Time to get access, from a provider that grants it by a token',
      limit: time(accessMs),
      told: '504 `timeout`: The upstream did not grant access in time.',
    },
    {
      what: 'Time to get an access token of a cloud; requests wait for it only if none is valid',
      limit: time(tokenMs),
      told: '504 `timeout`: Microsoft Entra ID did not give an access token in time.',
    },
    {
      what: 'Time that a worker waits for a change of a provider that the ingress has read before it',
      limit: time(behindMs),
      told: 'the worker uses what it knows of the provider',
    },
    {
      what: 'Time until a stream begins; for images; at `openai-compatible` and `ollama`. A comment of the upstream restarts it',
      limit: `${time(usual.firstToken)}; ${time(image.firstToken)}; ${time(local.firstToken)}`,
      setting: setting('firstToken'),
      told: await attempted(() => {}, { firstToken: 1 }),
    },
    {
      what: 'Silence within a stream; for images. It stops while the client is slower',
      limit: `${time(usual.idle)}; ${time(image.idle)}`,
      setting: setting('idle'),
      told: await attempted(answering(Buffer.from('x'), 'text/event-stream'), { idle: 1 }),
    },
    {
      what: 'Time that a stream may stay open after its end; the same if its usage is missing, or its end came with text',
      limit: `${time(endMarkMs.mark)}; ${time(endMarkMs.more)}`,
      told: 'nothing: the answer is whole',
    },
    {
      what: 'Time for an answer as a whole',
      limit: time(usual.total),
      setting: setting('total'),
      told: await attempted(() => {}, { total: 1 }),
    },
    {
      what: 'Time for all attempts of a request, and for their waits for a worker',
      limit: `${time(usual.total)} and \`GATEWAY_QUEUE_MS\``,
      setting: setting('total'),
      told: 'no further target is tried',
    },
    {
      what: 'Attempts of requests beyond the first one at targets that [fail](routing.md#the-budget-of-further-attempts), of an ingress process',
      limit: `${retryShare * 100} % of the requests; besides, ${spareRetries}, and one more each second until there are ${spareRetries} again`,
      told: "the target's error",
    },
    {
      what: 'Time that a request waits to learn if another target fails, once these are used up',
      limit: time(longestDoubtMs),
      told: 'nothing: the target is tried',
    },
    {
      what: 'Longest `retry-after` that is passed on to a client',
      limit: time(maxDelayMs),
      told: `\`retry-after: ${maxDelayMs / 1_000}\` at most`,
    },
    {
      what: 'Time to open a realtime session',
      limit: `${time(maxDialMs)}, or \`timeouts.firstToken\` if that is less`,
      setting: setting('firstToken'),
      told: '504 `timeout`: The upstream did not open the session in time.',
    },
  ];
}

async function sizes(): Promise<Bound[]> {
  const { values, integers } = answerBounds;
  const tooLarge = told(tooLargeToTranslate());
  return [
    {
      what: 'A whole answer',
      limit: size(maxWhole),
      told: await attempted(answering(Buffer.alloc(maxWhole + 1), 'application/json'), {}, false),
    },
    {
      what: 'Headers of an answer',
      limit: size(maxHeaders),
      told: await attempted(handler =>
        handler.onResponseError?.(
          {} as never,
          Object.assign(new Error('too large'), { code: 'UND_ERR_HEADERS_OVERFLOW' }),
        ),
      ),
    },
    {
      what: `A compressed answer after decompression, beyond ${size(inflationCountsFrom)}`,
      limit: `${count(mostInflation)} times its size`,
      told: told(inflated()),
    },
    {
      what: 'One event of a stream',
      limit: size(maxSseEvent),
      told: told(tooLargeEvent(new EventTooLarge())),
    },
    {
      what: 'Lines of one event of a stream',
      limit: count(maxEventLines),
      told: told(tooLargeEvent(new EventTooLarge())),
    },
    {
      what: 'A translated whole answer, as events in JSON',
      limit: `${count(maxEvents)} characters`,
      told: tooLarge,
    },
    {
      what: 'Values in the JSON of a translated answer; integers in arrays, which count separately',
      limit: `${count(values)}; ${count(integers)}`,
      told: tooLarge,
    },
    {
      what: `The same for one event, if it is larger than ${size(stepBytes)}`,
      limit: `${count(values)}; ${count(integers)}`,
      told: told(malformed('event', 'it has too many values')),
    },
    {
      what: 'Tool calls of one answer of a provider that speaks the chat format, if it is translated',
      limit: count(maxToolCalls),
      told: await refusal(tooManyToolCalls),
    },
    {
      what: 'Memory to decode a large whole answer',
      limit: `${count(threadHeap.maxOldGenerationSizeMb)} MiB`,
      told: told(threadLost()),
    },
    {
      what: "Body of an upstream's error that is read, or of an answer that is none",
      limit: size(maxFailure),
      told: 'the connection is closed',
    },
    {
      what: "An upstream's message that is passed on",
      limit: `${count(maxShown)} characters`,
      told: 'it ends in `…`',
    },
    {
      what: "One message of a provider's realtime session; its refusal",
      limit: `${size(maxMessage)}; ${size(maxRefusal)}`,
      told: 'the session ends, `upstream_error`, and is closed with 1011; the rest of a refusal is ignored',
    },
    {
      what: "Messages of a provider's realtime session in a second; an event of it that the gateway reads or changes",
      limit: `${count(mostMessages)}; ${size(maxInspected)}`,
      told: 'nothing: further messages are read in the next second; of twice as many, and of such an event, the session ends, `upstream_error`, and is closed with 1011',
    },
    {
      what: "Responses of a provider's realtime session that begin in a second",
      limit: count(mostResponses),
      told: 'the session ends, `upstream_error`, and is closed with 1011',
    },
  ];
}

async function requests(): Promise<Bound[]> {
  return [
    {
      what: "Answers to one request, if the model's provider gives one at a time",
      limit: count(maxCalls),
      told: await tooManyChoices(),
    },
    {
      what: 'Stop sequences, if the gateway itself ends the answer at them: at providers with `api: responses`, and for models of Bedrock that take none; characters of one',
      limit: `${count(maxStops)}; ${count(maxStopLength)}`,
      told: await refusal(() => checkStops(Array(maxStops + 1).fill('x'))),
    },
    {
      what: 'Inputs to embed in one request to a provider',
      limit: batchesOf('embed'),
      setting: '`batch` of the [provider](configuration.md)',
      told: 'nothing: the request is sent in pieces',
    },
    {
      what: 'Documents to rank in one request to a provider',
      limit: batchesOf('rerank'),
      setting: '`batch` of the [provider](configuration.md)',
      told: 'nothing: the request is sent in pieces',
    },
  ];
}

function tooManyToolCalls(): void {
  const calls = new ToolCalls({ nextPart: () => 0, toolName: name => name, seed: '' });
  for (let i = 0; i <= maxToolCalls; i++) calls.add({ id: `c${i}`, function: { name: 'f', arguments: '' } });
}

async function tooManyChoices(): Promise<string> {
  const options = {
    upstream: { dialect: { choices: 'one' } },
    input: { body: 'canonical', request: { messages: [], n: maxCalls + 1 } },
    call: { envelope: { format: 'chat' } },
  };
  const error = await fanOut({} as never, options as never);
  return told(toGatewayError(error));
}

/** The sizes of each provider kind that has one, such as `gemini` 100. */
function batchesOf(operation: Operation): string {
  const batches = Object.keys(providerProfiles).flatMap(kind => {
    const batch = batchOf({ kind } as Provider, operation);
    return Number.isFinite(batch) ? [`\`${kind}\` ${count(batch)}`] : [];
  });
  return batches.join(', ');
}
