import { type GenerateEvent, renamePath } from '@model-gateway/canonical';
import { awsEventStream } from '../upstream/aws-event-stream.ts';
import { decodeAwsFailure } from '../upstream/decode-aws-failure.ts';
import type { CanonicalInput, Decoder, Dialect, UpstreamFields } from '../upstream/dialect.ts';
import { malformed } from '../upstream/malformed.ts';
import { StopCut } from '../upstream/stop-cut.ts';
import { WholeBody } from '../upstream/whole-body.ts';
import { decodeBody, decodeStream } from './decode.ts';
import type { BlocksOptions } from './decode-blocks.ts';
import { encode, toolsByName } from './encode.ts';
import { modelTraits } from './models.ts';

/** The canonical fields of the fields that Bedrock names in errors. */
const fields: UpstreamFields = {
  messages: 'messages',
  system: 'messages',
  'inferenceConfig.maxTokens': 'maxTokens',
  'inferenceConfig.temperature': 'temperature',
  'inferenceConfig.topP': 'topP',
  'inferenceConfig.stopSequences': 'stop',
  toolConfig: 'tools',
  outputConfig: 'output',
};

/** Converse of Amazon Bedrock. No client speaks it, so every request is translated. */
export const converseDialect: Dialect<CanonicalInput> = {
  format: 'converse',
  bodies: ['canonical'],
  streamTypes: [awsEventStream],
  choices: 'one',
  encode,
  decodeStream: input => cutting(decodeStream(blocksOptions(input)), stopsOf(input)),
  decodeWhole: input => new WholeAnswer(input),
  decodeBody: answerIn,
  decodeFailure: decodeAwsFailure,
  pathOf: param => renamePath(param, fields),
};

/** A whole answer to a request that did not ask for a stream. */
class WholeAnswer extends WholeBody {
  readonly #input: CanonicalInput;

  constructor(input: CanonicalInput) {
    super();
    this.#input = input;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const events = answerIn(bytes, this.#input);
    if (!events) throw malformed('answer', 'it has no output.message.content');
    return events;
  }
}

function answerIn(body: Buffer, input: CanonicalInput): GenerateEvent[] | undefined {
  const events = decodeBody(body, blocksOptions(input));
  if (!events) return undefined;
  return cutting({ read: () => events, end: () => [] }, stopsOf(input)).read(body);
}

function blocksOptions({ request, model, envelope }: CanonicalInput): BlocksOptions {
  return { tools: toolsByName(request, model), seed: envelope.requestId, history: request.messages };
}

/** Returns the stop sequences that the model does not take. */
function stopsOf({ request: { stop = [] }, model }: CanonicalInput): readonly string[] {
  return modelTraits(model).stops ? [] : stop.filter(sequence => sequence !== '');
}

function cutting(decoder: Decoder, stop: readonly string[]): Decoder {
  return stop.length > 0 ? new StopCut(decoder, stop) : decoder;
}
