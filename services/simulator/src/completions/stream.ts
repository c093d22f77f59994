import { dataJson } from '@model-gateway/sse';
import { openai } from '../chat/format.ts';
import { type ChoiceEvents, choicesFlow, type WriteChoice } from '../chat/stream.ts';
import type { Flow, Format } from '../format.ts';
import type { Answer } from '../responder/answer.ts';
import { type ParsedCompletions, parse } from './parse.ts';
import { type Choice, choicesOf, finishReasons, headOf, logprobsOf, tokensIn, whole } from './whole.ts';

/** OpenAI's legacy completions. */
export const completions: Format<ParsedCompletions> = { ...openai, parse, whole, stream };

/** An answer as `text_completion` events. */
function stream(parsed: ParsedCompletions, answer: Answer): Flow {
  const usage = parsed.includeUsage ? answer.usage : null;
  return choicesFlow(headOf(parsed, answer), usage, choicesOf(parsed, answer.replies), (choice, write) =>
    eventsOf(choice, parsed.topLogprobs, write),
  );
}

function eventsOf({ reply, echoed }: Choice, top: number | null, write: WriteChoice): ChoiceEvents {
  const tokens = tokensIn(reply);
  const place = { token: 0, offset: 0 };
  const textChunk = (tokens: string[]) => {
    const logprobs = top === null ? null : logprobsOf(tokens, place, top, echoed.length > 0);
    const text = tokens.join('');
    place.token += tokens.length;
    place.offset += text.length;
    return write(`"text":${dataJson(text)},"logprobs":${dataJson(logprobs)}`);
  };
  return {
    opening: echoed.length > 0 ? [textChunk(echoed)] : [],
    chunks: tokens.length,
    chunk: at => textChunk([tokens[at] as string]),
    closing: [write('"text":"","logprobs":null', finishReasons[reply.finish])],
  };
}
