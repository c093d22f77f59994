import { type AnswerEvent, withEvent } from '../conversation/answer-event.ts';
import type { AnswerPart } from '../conversation/part.ts';
import type { WireFormat } from '../formats/format.ts';

/** What a reader made of a stream. */
interface ReadAnswer {
  parts: AnswerPart[];
  finish: [reason: string, raw: string] | undefined;
  usage: object | undefined;
  complete: boolean;
}

/** Reads the data of a stream's events, and folds what the reader makes of them. */
export function readAll(format: WireFormat, events: readonly (object | string)[]): ReadAnswer {
  const reader = format.reader();
  const read: AnswerEvent[] = events.flatMap(event =>
    reader.read({ data: typeof event === 'string' ? event : JSON.stringify(event) }),
  );
  if (reader.complete) read.push(...reader.end());
  const finish = read.findLast(event => event.type === 'finish');
  const usage = read.findLast(event => event.type === 'usage')?.usage;
  return {
    parts: read.reduce(withEvent, []),
    finish: finish && [finish.reason, finish.raw],
    // Without the fields that are undefined.
    usage: usage && JSON.parse(JSON.stringify(usage)),
    complete: reader.complete,
  };
}
