import { ActionIcon, Button, CopyButton, Group, Text, UnstyledButton } from '@mantine/core';
import { Copy } from '../../layout/code-block.tsx';
import { formatMoney, formatMs } from '../../layout/format.ts';
import { factsOf, modelNames } from '../../token/check-token.ts';
import { costOf } from '../../token/cost.ts';
import { useToken } from '../../token/token-context.tsx';
import type { Usage } from '../conversation/answer-event.ts';
import { type Answer, tokensPerSecond } from '../conversation/turn.ts';
import { formats } from '../formats/formats.ts';
import classes from './answer-view.module.css';

/** The facts of an answer: format, model, target, tokens, cost, times, and the id of its request. */
function AnswerFacts({ answer }: { answer: Answer }) {
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

/** Buttons to switch between the versions of a question or an answer; absent if there is one. */
export function Branches({
  of,
  ids,
  shown,
  onChoose,
}: {
  of: 'question' | 'answer';
  ids: readonly number[];
  shown: number;
  onChoose(id: number): void;
}) {
  const at = ids.indexOf(shown);
  const [before, after] = [ids[at - 1], ids[at + 1]];
  if (ids.length < 2) return null;
  const step = (to: number | undefined, label: string, sign: string) => (
    <ActionIcon
      size="xs"
      variant="subtle"
      aria-label={`${label} ${of}`}
      disabled={to === undefined}
      onClick={() => to !== undefined && onChoose(to)}
    >
      <span aria-hidden="true">{sign}</span>
    </ActionIcon>
  );
  return (
    <Group gap={2} wrap="nowrap">
      {step(before, 'Previous', '‹')}
      <Text size="xs" aria-label={`The ${of} is version ${at + 1} of ${ids.length}`} role="img">
        {at + 1}/{ids.length}
      </Text>
      {step(after, 'Next', '›')}
    </Group>
  );
}

export interface AnswerViewProps {
  answer: Answer;
  /** The ids of the answers to the same question. */
  siblings: readonly number[];
  onChoose(id: number): void;
  /** Asks again; absent while nothing can be asked. */
  onRetry: ((answer: Answer) => void) | undefined;
  /** Shows the request and the events of the answer. */
  onInspect: ((id: number) => void) | undefined;
}

/** The facts of an answer, and what can be done with it. */
export function AnswerFooter(props: AnswerViewProps & { text: string }) {
  const { answer, text, siblings, onChoose, onRetry, onInspect } = props;
  return (
    <footer className={classes.footer}>
      <AnswerFacts answer={answer} />
      <div className={classes.actions}>
        <Branches of="answer" ids={siblings} shown={answer.id} onChoose={onChoose} />
        {text && <Copy text={text} label="Copy" />}
        {onInspect && (
          <Button size="compact-xs" variant="default" onClick={() => onInspect(answer.id)}>
            Request
          </Button>
        )}
        {onRetry && (
          <Button size="compact-xs" variant="default" onClick={() => onRetry(answer)} data-asks>
            Try again
          </Button>
        )}
      </div>
    </footer>
  );
}
