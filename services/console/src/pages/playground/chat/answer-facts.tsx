import { CopyButton, UnstyledButton } from '@mantine/core';
import { formatMoney, formatMs } from '../../layout/format.ts';
import { factsOf, modelNames } from '../../token/check-token.ts';
import { useToken } from '../../token/token-context.tsx';
import type { Usage } from '../conversation/answer-event.ts';
import { type Answer, tokensPerSecond } from '../conversation/turn.ts';
import { costOf } from '../cost.ts';
import { formats } from '../formats/formats.ts';
import classes from './answer-view.module.css';

/** The facts of an answer: format, model, target, tokens, cost, times, and the id of its request. */
export function AnswerFacts({ answer }: { answer: Answer }) {
  const { model, format, usage, firstTokenMs, totalMs, target } = answer;
  const rate = tokensPerSecond(answer);
  const cost = useCost(answer);
  const facts = [
    model,
    formats[format].label,
    target && `served by ${target}`,
    usage && usageText(usage),
    usage && (cost === null ? 'cost unknown' : formatMoney(cost)),
    firstTokenMs !== undefined && `first token after ${formatMs(firstTokenMs)}`,
    totalMs !== undefined && `${formatMs(totalMs)} in total`,
    rate !== undefined && `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} tokens/s`,
  ];
  return (
    <>
      <span>{facts.filter(Boolean).join(' · ')}</span>
      {answer.requestId && <RequestId id={answer.requestId} />}
    </>
  );
}

/** The cost by the price of the model that answered; a fallback has a price of its own. */
function useCost({ usage, servedModel, model }: Answer): number | null {
  const { check } = useToken();
  const price = factsOf(servedModel ?? model, modelNames(check))?.price;
  return usage ? costOf(usage, price) : null;
}

function RequestId({ id }: { id: string }) {
  if (!navigator.clipboard) return <code className={classes.requestId}>{id}</code>;
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <UnstyledButton className={classes.requestId} onClick={copy} title="Copy the request's id">
          {copied ? 'Copied' : id}
        </UnstyledButton>
      )}
    </CopyButton>
  );
}

/** Formats usage: `12 tokens in (8 cached), 30 out (10 for reasoning)`. */
function usageText({ input, output, cached, reasoning }: Usage): string {
  const read = `${input} tokens in${cached ? ` (${cached} cached)` : ''}`;
  return `${read}, ${output} out${reasoning ? ` (${reasoning} for reasoning)` : ''}`;
}
