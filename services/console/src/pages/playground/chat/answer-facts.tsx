import { formatMs } from '../../layout/format.ts';
import type { Usage } from '../conversation/answer-event.ts';
import { type Answer, tokensPerSecond } from '../conversation/turn.ts';
import { formats } from '../formats/formats.ts';

/** What is known of an answer: format, model, tokens and times. */
export function AnswerFacts({ answer }: { answer: Answer }) {
  const { model, format, usage, firstTokenMs, totalMs, target } = answer;
  const rate = tokensPerSecond(answer);
  const facts = [
    model,
    formats[format].label,
    target && `served by ${target}`,
    usage && usageText(usage),
    firstTokenMs !== undefined && `first token after ${formatMs(firstTokenMs)}`,
    totalMs !== undefined && `${formatMs(totalMs)} in total`,
    rate !== undefined && `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} tokens/s`,
  ];
  return <span>{facts.filter(Boolean).join(' · ')}</span>;
}

/** Formats usage: `12 tokens in (8 cached), 30 out (10 for reasoning)`. */
function usageText({ input, output, cached, reasoning }: Usage): string {
  const read = `${input} tokens in${cached ? ` (${cached} cached)` : ''}`;
  return `${read}, ${output} out${reasoning ? ` (${reasoning} for reasoning)` : ''}`;
}
