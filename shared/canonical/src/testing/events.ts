import {
  AnswerFold,
  type FinishEvent,
  GatewayError,
  type GenerateAnswer,
  type GenerateEvent,
  noUsage,
  type PartStart,
} from '../index.ts';

/** The events of a part whose text comes in pieces. */
export const partEvents = (
  index: number,
  part: PartStart | { type: string },
  pieces: readonly string[] = [],
  end: object = {},
): GenerateEvent[] => [
  { type: 'part-start', index, part: part as PartStart },
  ...pieces.map((text): GenerateEvent => ({ type: 'part-delta', index, text })),
  { type: 'part-end', index, ...end },
];

export const finish = (
  reason: FinishEvent['reason'] = 'stop',
  more: Partial<FinishEvent> = {},
): FinishEvent => ({
  type: 'finish',
  reason,
  raw: reason,
  usage: noUsage,
  ...more,
});

/** The decoder of a response. */
interface Decoder {
  read(bytes: Buffer): GenerateEvent[];
  end(): GenerateEvent[];
}

/** Reads a response `size` bytes at a time. */
export function readAll(decoder: Decoder, response: string | Buffer, size = 1e9): GenerateEvent[] {
  const bytes = Buffer.from(response as string);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

/** The answer that events add up to. @throws if they have no end */
export function folded(events: readonly GenerateEvent[] | undefined): GenerateAnswer {
  const fold = new AnswerFold();
  const answer = events?.map(event => fold.add(event)).find(Boolean);
  if (!answer) throw new Error(`no answer: ${JSON.stringify(events?.at(-1))}`);
  return answer;
}

/** Events in a few signs, as `0+text | 0 Hi | 0. | =stop`. */
export function brief(events: readonly GenerateEvent[]): string {
  return events.flatMap(signs).join(' | ');
}

function signs(event: GenerateEvent): string | string[] {
  switch (event.type) {
    case 'part-start':
      return `${event.index}+${event.part.type}${'name' in event.part ? ` ${Object(event.part).id} ${event.part.name}` : ''}`;
    case 'part-delta':
      return `${event.index} ${event.text}`;
    case 'part-end':
      return `${event.index}.`;
    case 'choice-end':
      return `${event.choice}=${event.reason}`;
    case 'finish':
      return `=${event.reason}`;
    case 'error':
      return `!${event.kind}`;
    default:
      return [];
  }
}

/** The text that a client of the upstream's format receives. */
export function passed(events: readonly GenerateEvent[]): string {
  return Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
}

/** The error with which `run` refuses; undefined if it does not. */
export function refusal(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, message: error.message, ...error.details };
    throw error;
  }
  return undefined;
}
