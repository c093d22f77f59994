import type { Envelope, GenerateEvent } from '@model-gateway/canonical';
import { type Edit, memberText, spliceTopLevel } from '@model-gateway/json';
import {
  decodeBody as decodeChatBody,
  decodeEvents as decodeChatEvents,
  decodeStream as decodeChatStream,
  WholeDecoder,
} from '../chat/decode.ts';
import { requestedChoices, requestsUsage } from '../chat/encode.ts';
import { renderTotals } from '../chat/usage.ts';
import { readUsage } from '../upstream/any-usage.ts';
import type { Decoder, GenerateInput, VerbatimInput } from '../upstream/dialect.ts';
import { editEvent } from '../upstream/loose-events.ts';
import { eventObject, objectIn, parseObject } from '../upstream/read-json.ts';
import { secondsOf } from '../upstream/whole-body.ts';

/** Decodes a stream, which differs from chat only in the field of the text. */
export function decodeStream(input: GenerateInput): Decoder {
  if (input.body === 'verbatim') return passed(input);
  return decodeChatStream(optionsOf(input), event => chatFields(eventObject(event), 'delta'));
}

/** Passes a stream on, with the fields that clients read. */
function passed({ text, envelope }: VerbatimInput): Decoder {
  return decodeChatStream(passing(text), event => {
    const fields = eventObject(event);
    if (fields && Array.isArray(fields.choices) && !isComplete(fields))
      editEvent(event, missing(fields, envelope));
    return chatFields(fields, 'delta');
  });
}

function passing(text: Buffer) {
  // Each prompt of a list has choices of its own.
  const wantsOne = () => requestedChoices(text) === 1 && memberText(text, 'prompt')?.[0] !== '[';
  return { showUsage: requestsUsage(text), wantsOne };
}

export function decodeEvents(input: GenerateInput): Decoder {
  return decodeChatEvents(optionsOf(input), event => chatFields(eventObject(event), 'delta'));
}

export function decodeBody(body: Buffer, input: GenerateInput): GenerateEvent[] | undefined {
  return decodeChatBody(body, optionsOf(input), text => chatFields(parseObject(text), 'message'));
}

type Fields = Record<string, unknown>;
type Names = Pick<Envelope, 'requestId' | 'model'>;

/** Passes a non-streamed response on, with the fields that clients read. */
export class CompletionDecoder extends WholeDecoder {
  readonly #names: Names;

  constructor(names: Names) {
    super();
    this.#names = names;
  }

  protected override filled(bytes: Buffer, fields: Fields): Buffer {
    return isComplete(fields) ? bytes : spliceTopLevel(bytes, missing(fields, this.#names));
  }
}

/** True if a response, or a chunk, has the fields that clients read. */
function isComplete({ id, object, created, model, choices, usage }: Fields): boolean {
  return (
    typeof id === 'string' &&
    typeof object === 'string' &&
    typeof created === 'number' &&
    typeof model === 'string' &&
    Array.isArray(choices) &&
    choices.every(isWhole) &&
    (usage === undefined || usage === null || hasOwnWords(usage))
  );
}

/** Returns the fields that a response lacks, or has in other words. */
function missing(
  { id, object, created, model, choices, usage }: Fields,
  { requestId, model: asked }: Names,
): Map<string, Edit> {
  const edits = new Map<string, Edit>();
  if (typeof id !== 'string') edits.set('id', JSON.stringify(requestId.replace(/^(req_)?/, 'cmpl-')));
  if (typeof object !== 'string') edits.set('object', '"text_completion"');
  if (typeof created !== 'number') edits.set('created', String(secondsOf(requestId)));
  if (typeof model !== 'string') edits.set('model', JSON.stringify(asked));
  if (Array.isArray(choices) && !choices.every(isWhole))
    edits.set('choices', JSON.stringify(choices.map(wholeChoice)));
  const read = hasOwnWords(usage) ? null : readUsage(usage);
  if (read) edits.set('usage', JSON.stringify(renderTotals(read)));
  return edits;
}

function hasOwnWords(usage: unknown): boolean {
  const { prompt_tokens, completion_tokens } = objectIn(usage) ?? {};
  return typeof prompt_tokens === 'number' && typeof completion_tokens === 'number';
}

function isWhole(choice: unknown): boolean {
  const { index, text, logprobs } = objectIn(choice) ?? {};
  return typeof index === 'number' && typeof text === 'string' && logprobs !== undefined;
}

function wholeChoice(choice: unknown, at: number): Fields {
  const fields = objectIn(choice) ?? {};
  return { ...fields, index: fields.index ?? at, text: fields.text ?? '', logprobs: fields.logprobs ?? null };
}

function optionsOf(input: GenerateInput) {
  const request = input.body === 'canonical' ? input.request : undefined;
  return {
    toolName: (name: string) => name,
    seed: input.envelope.requestId,
    stop: request?.stop ?? [],
    // A client's own request has as many choices as its text requests.
    choices: request ? (request.n ?? 1) : Number.POSITIVE_INFINITY,
  };
}

/** Converts a chunk or a response to chat's shape, which some servers send. */
function chatFields(fields: Fields | undefined, content: 'delta' | 'message'): Fields | undefined {
  if (!fields || !Array.isArray(fields.choices)) return fields && { ...fields, choices: undefined };
  const choices = fields.choices.map(choice => {
    const { text, ...rest } = objectIn(choice) ?? {};
    const isOwn = text !== undefined && text !== null;
    return isOwn ? { ...rest, [content]: { content: text } } : choice;
  });
  return { ...fields, choices };
}
