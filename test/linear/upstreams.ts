import {
  type GenerateEvent,
  type GenerateRequest,
  type Operation,
  type OperationRequest,
  type WireFormat,
  wireFormats,
} from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { chatDialect } from '../../shared/formats/src/chat/dialect.ts';
import { cohereChatDialect } from '../../shared/formats/src/cohere-chat/dialect.ts';
import { completionsDialect } from '../../shared/formats/src/completions/dialect.ts';
import { converseDialect } from '../../shared/formats/src/converse/dialect.ts';
import { type AnyDialect, findDialect } from '../../shared/formats/src/dialects.ts';
import { generateContentDialect } from '../../shared/formats/src/generate-content/dialect.ts';
import { messagesDialect } from '../../shared/formats/src/messages/dialect.ts';
import { responsesDialect } from '../../shared/formats/src/responses/dialect.ts';
import type { Dialect, GenerateInput, InputFacts } from '../../shared/formats/src/upstream/dialect.ts';

/** An upstream that generates: a dialect, and the facts on which its encoding depends. */
export interface Upstream {
  dialect: Dialect;
  facts?: Partial<InputFacts>;
}

const alternating = { alternates: true, callIds: 'nine-characters' } as const;

export const upstreams: Record<string, Upstream> = {
  chat: { dialect: chatDialect },
  "the chat format's own vendor": { dialect: chatDialect, facts: { original: true, prefill: true } },
  'chat of one turn a side': { dialect: chatDialect, facts: { differences: alternating, prefill: true } },
  messages: { dialect: messagesDialect },
  responses: { dialect: responsesDialect },
  "the responses format's own vendor": { dialect: responsesDialect, facts: { original: true } },
  'generate-content': { dialect: generateContentDialect, facts: { model: 'gemini-2.5-flash' } },
  'converse with stops': {
    dialect: converseDialect as Dialect,
    facts: { model: 'anthropic.claude-sonnet-4' },
  },
  'converse without stops': { dialect: converseDialect as Dialect, facts: { model: 'openai.gpt-oss-120b' } },
  'cohere-chat': { dialect: cohereChatDialect as Dialect },
  completions: { dialect: completionsDialect },
};

const facts = (
  more: Partial<InputFacts> = {},
  envelope: Partial<InputFacts['envelope']> = {},
): InputFacts => ({
  envelope: testEnvelope(envelope),
  model: 'm',
  drop: [],
  limits: {},
  ...more,
});

/** Does what a worker does with a request before it is sent. */
export function encoded({ dialect, facts: more }: Upstream, request: GenerateRequest): string {
  const input = { ...facts(more), body: 'canonical', request } as const;
  dialect.decodeStream(input);
  return dialect.encode(input).body.toString();
}

/** Does the same with a request of the upstream's own format, of which another vendor's history is removed. */
export function passed({ dialect, facts: more }: Upstream, format: WireFormat, text: Buffer): string {
  const envelope = { format: format as InputFacts['envelope']['format'], foreign: true };
  const input = { ...facts(more, envelope), body: 'verbatim', text } as const;
  dialect.decodeStream(input);
  return dialect.encode(input).body.toString();
}

/** Encodes a request for each upstream format of its operation, translated and passed on. */
export function encodedForAll(
  operation: Operation,
  request: OperationRequest | undefined,
  text: Buffer,
): [name: string, encode: () => unknown][] {
  return wireFormats.flatMap(format => {
    const input = { ...facts({}, { operation }), format };
    const translated = request && findDialect(operation, format, 'canonical');
    const own = findDialect(operation, format, 'verbatim');
    return [
      ...(translated
        ? [[`${format}, translated`, () => written(translated, { ...input, body: 'canonical', request })]]
        : []),
      ...(own ? [[`${format}, passed on`, () => written(own, { ...input, body: 'verbatim', text })]] : []),
    ] as [string, () => unknown][];
  });
}

function written(dialect: AnyDialect, input: object): string {
  return String(dialect.encode(input as never).body);
}

/** The most bytes of one read of a socket. */
export const readBytes = 64 * 1024;

export const asked: GenerateRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

/** Returns the input of an upstream that is asked by a client of another format. */
export function inputOf(name: string, request: GenerateRequest): GenerateInput {
  const envelope = testEnvelope({ format: 'messages' });
  return {
    envelope,
    model: 'm',
    drop: [],
    limits: {},
    ...upstreams[name]?.facts,
    body: 'canonical',
    request,
  };
}

/** Decodes a stream if the upstream is asked for it at all. */
export function decoded(name: string, bytes: Buffer, request = asked): GenerateEvent[] {
  const { dialect } = upstreams[name] as NonNullable<(typeof upstreams)[string]>;
  const input = inputOf(name, request);
  dialect.encode(input);
  const decoder = dialect.decodeStream(input);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += readBytes)
    for (const event of decoder.read(bytes.subarray(at, at + readBytes))) events.push(event);
  for (const event of decoder.end()) events.push(event);
  return events;
}
