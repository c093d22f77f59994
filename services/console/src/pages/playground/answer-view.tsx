import { Alert, Button, Loader } from '@mantine/core';
import { memo } from 'react';
import { usageText } from '../chat/chunk.ts';
import type { Answer } from '../chat/conversation.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { inPlainWords } from '../problem.ts';
import { Copy } from '../shell/code-block.tsx';
import classes from './answer-view.module.css';

interface Props {
  answer: Answer;
  onRetry: (() => void) | undefined;
}

/** An answer, complete or still streaming, and how it ended. */
export const AnswerView = memo(function AnswerView({ answer, onRetry }: Props) {
  const running = answer.state === 'running';
  const note = noteOf(answer);
  return (
    <article
      className={classes.answer}
      aria-label={`Answer of ${answer.model}`}
      aria-busy={running}
      data-state={answer.state}
    >
      {answer.reasoning && (
        <details className={classes.reasoning}>
          <summary>{running && !answer.text ? 'Reasoning …' : 'Reasoning'}</summary>
          <p>{answer.reasoning}</p>
        </details>
      )}
      {answer.text && <Markdown text={answer.text} />}
      {running && !answer.text && <Loader type="dots" size="sm" aria-label="Waiting for the answer" />}
      {note && <p className={classes.note}>{note}</p>}
      {answer.problem && <Failure answer={answer} />}
      {!running && (
        <footer className={classes.footer}>
          <span>{figuresOf(answer)}</span>
          {answer.text && <Copy text={answer.text} label="Copy" />}
          {onRetry && (
            <Button size="compact-xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </footer>
      )}
    </article>
  );
});

function Failure({ answer: { problem, requestId } }: { answer: Answer }) {
  if (!problem) return null;
  const { code, status, requestId: failedId = requestId } = problem.facts;
  return (
    <Alert
      variant="outline"
      color="red"
      role="alert"
      title={inPlainWords(problem)}
      classNames={{ title: classes.failure }}
    >
      <p className={classes.prose}>{problem.message}</p>
      <dl className={classes.facts}>
        {code && <Fact term="Code" value={code} />}
        {status && <Fact term="Status" value={String(status)} />}
        {failedId && <Fact term="Request" value={failedId} />}
      </dl>
    </Alert>
  );
}

function Fact({ term, value }: { term: string; value: string }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </div>
  );
}

/** Formats usage and times: `sim-1 · 12 tokens in, 30 out · first token after 0.12 s · 1.40 s in total`. */
function figuresOf({ model, usage, firstTokenMs, totalMs }: Answer): string {
  return [
    model,
    usage && usageText(usage),
    firstTokenMs !== undefined && `first token after ${seconds(firstTokenMs)}`,
    totalMs !== undefined && `${seconds(totalMs)} in total`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Returns a note on how an answer without an error ended. */
function noteOf({ state, finishReason, text }: Answer): string | undefined {
  if (state === 'stopped') return 'Stopped.';
  if (state !== 'done') return undefined;
  if (finishReason === 'length') return 'The answer reached its token limit.';
  if (finishReason === 'content_filter')
    return "The provider's content filter withheld the rest of the answer.";
  return text === '' ? 'The answer is empty.' : undefined;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(2)} s` : `${Math.round(ms / 1_000)} s`;
}
