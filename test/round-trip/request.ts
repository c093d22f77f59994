import type {
  AssistantPart,
  Effort,
  GenerateRequest,
  MediaPart,
  Message,
  OpaquePart,
  TextPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import type { Random } from '@model-gateway/canonical/testing';

const names = ['weather', 'clock', 'search'];
const words = ['a', 'Ž', '\u2028', '"', '\\', '\n', ' b', '😀', '</x>', '{'] as const;
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const png = { type: 'base64', data: 'iVBO' } as const;
const pdf = { type: 'base64', data: 'JVBE' } as const;

export function randomText(random: Random): string {
  return `x${random.list(0, 4, () => random.pick(words)).join('')}`;
}

export function randomArguments(random: Random): string {
  const values = [1, null, [true], { deep: ['x'] }, 'y'];
  return JSON.stringify(
    Object.fromEntries(random.list(0, 3, () => [randomText(random), random.pick(values)])),
  );
}

/** Removes undefined members, as JSON on the bus does. */
export function asSent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

const text = (random: Random): TextPart => ({ type: 'text', text: randomText(random) });

function media(random: Random): MediaPart {
  return random.pick<MediaPart>([
    { type: 'media', kind: 'image', source: png, mediaType: 'image/png' },
    { type: 'media', kind: 'image', source: { type: 'url', url: 'https://i.example/a.png' } },
    { type: 'media', kind: 'document', source: pdf, mediaType: 'application/pdf', name: 'a.pdf' },
  ]);
}

/** Content that only the messages format has. */
function own(random: Random): UserPart {
  const opaque: OpaquePart = {
    type: 'opaque',
    format: 'messages',
    value: { type: 'search_result', source: 'https://kb.example', content: [] },
  };
  return random.pick<UserPart>([
    opaque,
    { type: 'media', kind: 'image', source: { type: 'file', id: 'file_1', format: 'messages' } },
    { type: 'media', kind: 'document', source: { type: 'text', text: 'plain' }, mediaType: 'text/plain' },
    { type: 'media', kind: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' }, name: 'T' },
  ]);
}

type Maker<T> = (random: Random) => T;

function thoughts(random: Random, rich: boolean): AssistantPart[] {
  const signed = { format: 'messages', value: 'EqQB+/=' } as const;
  const shown: AssistantPart = { type: 'reasoning', text: randomText(random), signature: signed };
  if (!rich) return random.maybe(() => [shown]) ?? [];
  const hidden: AssistantPart = { type: 'reasoning', text: '', signature: signed };
  const redacted: AssistantPart = { ...hidden, redacted: true };
  return random.list(0, 3, () => random.pick([shown, hidden, redacted]));
}

/** A user message, the model's calls for it, their results, and the model's answer. */
function round(random: Random, number: number, rich: boolean): Message[] {
  const makers: Maker<UserPart>[] = rich ? [text, media, own] : [text, media];
  const said = (least: number) => random.list(least, 3, () => random.pick(makers)(random));
  const shown = () => (rich ? random.list(0, 2, () => random.pick(makers)(random)) : [text(random)]);
  const calls = random.list(0, 3, () => ({
    type: 'tool-call' as const,
    id: `call_${number}_${random.below(1_000_000)}`,
    name: random.pick(names),
    arguments: randomArguments(random),
  }));
  const results = calls.map(
    ({ id }): ToolResultPart => ({
      type: 'tool-result',
      callId: id,
      content: shown(),
      ...(rich && random.maybe(() => ({ error: true }))),
    }),
  );
  const asked: Message[] = [
    { role: 'user', content: said(1) },
    { role: 'assistant', content: [...thoughts(random, rich), text(random), ...calls] },
  ];
  if (calls.length === 0) return asked;
  const after = said(0);
  return [
    ...asked,
    { role: 'tool', content: random.below(2) === 0 ? results : results.reverse() },
    ...(after.length > 0 ? [{ role: 'user' as const, content: after }] : []),
    { role: 'assistant', content: [text(random)] },
  ];
}

/** Cache breakpoints: no more than an upstream accepts. */
function marked(messages: Message[], random: Random): Message[] {
  const texts = messages.flatMap(({ content }) =>
    content.filter(part => part.type === 'text' || part.type === 'tool-result'),
  );
  for (const part of random.list(0, 2, () => random.pick(texts)))
    part.cache = random.maybe(() => ({ ttl: '1h' as const })) ?? {};
  return messages;
}

function settings(random: Random): Partial<GenerateRequest> {
  const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
  const choosing = random.maybe(() => choosingOf(random)) ?? {};
  const { toolChoice } = choosing;
  // A model that is forced to call a tool does not think.
  const forced = toolChoice !== undefined && toolChoice.type !== 'auto';
  const reasoning = forced ? undefined : random.maybe(() => ({ effort: random.pick(efforts), show: true }));
  const warm = !reasoning && random.below(2) === 0;
  return {
    maxTokens: 1 + random.below(9_000),
    temperature: warm ? random.below(10) / 10 : undefined,
    topP: warm || reasoning ? undefined : random.maybe(() => random.below(10) / 10),
    stop: random.maybe(() => random.list(1, 4, () => randomText(random))),
    reasoning,
    output: random.maybe(() => ({ type: 'schema' as const, schema })),
    user: random.maybe(() => 'u-1'),
    ...choosing,
  } as Partial<GenerateRequest>;
}

function choosingOf(random: Random): Partial<GenerateRequest> {
  const serial = random.maybe(() => ({ parallelToolCalls: false }));
  const choice: NonNullable<GenerateRequest['toolChoice']> = random.pick([
    { type: 'auto' },
    { type: 'required' },
    { type: 'tool', name: 'clock' },
  ]);
  const tools = names.map(name => ({
    type: 'function' as const,
    name,
    parameters: schema,
    ...random.maybe(() => ({ description: randomText(random) })),
    ...random.maybe(() => ({ strict: true })),
  }));
  return { tools, toolChoice: choice, ...serial };
}

/** A request that every format can express; `rich` adds content that only messages has. */
export function randomRequest(random: Random, { rich = false } = {}): GenerateRequest {
  const system = random.maybe(() => ({
    role: 'system' as const,
    content: random.list(1, 2, () => text(random)),
  }));
  const rounds = random.list(1, 3, () => 0).flatMap((_, i) => round(random, i, rich));
  const last: Message = { role: 'user', content: [text(random)] };
  const messages = marked([...(system ? [system] : []), ...rounds, last], random);
  return asSent({ messages, ...settings(random) });
}
