import type { GenerateEvent, PartStart } from '@model-gateway/canonical';
import { noUsage } from '@model-gateway/canonical';
import type { AnswerRenderer } from '@model-gateway/formats/client';
import { type Growable, generating, read } from '../linear/endpoints.ts';
import type { Format } from '../stack/formats.ts';

const context = { requestId: 'req_1', created: 1 };
const usage = { ...noUsage, input: 50, cachedInput: 10, output: 40, reasoning: 5 };

function part(index: number, start: PartStart, ...texts: string[]): GenerateEvent[] {
  return [
    { type: 'part-start', index, part: start },
    ...texts.map((text): GenerateEvent => ({ type: 'part-delta', index, text })),
    { type: 'part-end', index },
  ];
}

const start: GenerateEvent = { type: 'start', id: 'answer_1', model: 'm' };
const finish = (reason: 'stop' | 'tool-calls' | 'length'): GenerateEvent => ({
  type: 'finish',
  reason,
  raw: null,
  usage,
});
const call = (id: string, name: string): PartStart => ({ type: 'tool-call', id, name });

/** Answers that upstreams send. */
const answers: GenerateEvent[][] = [
  [start, ...part(0, { type: 'text' }, 'The sea ', 'is wide, ', 'café 数据 🚀.'), finish('stop')],
  [
    start,
    ...part(0, { type: 'reasoning' }, 'Hm, ', 'so.'),
    ...part(1, { type: 'text' }, 'Yes', '.'),
    finish('stop'),
  ],
  [start, ...part(0, call('call_a', 'weather'), '{"city":', '"Oslo"}'), finish('tool-calls')],
  [
    start,
    ...part(0, { type: 'text' }, 'I look', ' it up.'),
    ...part(1, call('call_a', 'weather'), '{"city"', ':"Oslo"}'),
    ...part(2, call('call_b', 'clock'), '{}'),
    finish('tool-calls'),
  ],
  [start, ...part(0, { type: 'text' }, 'It goes on', ' and on'), finish('length')],
];

/** The way in which a client of a format gets an answer. */
export function rendererOf(format: Format): AnswerRenderer {
  const growable: Growable = generating[format];
  const asked = { ...growable.base, ...(format === 'chat' && { stream_options: { include_usage: true } }) };
  return growable.endpoint.render(read(growable, asked).rendering) as AnswerRenderer;
}

/** An answer as the events of a stream, each with its blank line. */
export interface Stream {
  format: Format;
  events: string[];
}

/** The streams of all answers in a format. */
export function streamsOf(format: Format): Stream[] {
  return answers.map(answer => {
    const writer = rendererOf(format).stream(context);
    const text = answer.map(event => writer.add(event)).join('');
    return { format, events: text.split(/(?<=\n\n)/) };
  });
}
