import { Loader } from '@mantine/core';
import { memo } from 'react';
import { textOf } from '../conversation/part.ts';
import { type Answer, problemOfFailure } from '../conversation/turn.ts';
import { Failure } from '../operation/failure.tsx';
import { AnswerFooter, type AnswerViewProps } from './answer-footer.tsx';
import { JsonAnswer, Part } from './answer-parts.tsx';
import classes from './answer-view.module.css';

/** An answer, complete or still streaming, and how it ended. */
export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  const { answer } = props;
  const running = answer.state === 'running';
  const note = noteOf(answer);
  const text = textOf(answer.parts);
  return (
    <article
      className={classes.answer}
      aria-label={`Answer of ${answer.model}`}
      aria-busy={running}
      data-state={answer.state}
    >
      {answer.json && !running && text ? (
        <JsonAnswer answer={answer} text={text} />
      ) : (
        answer.parts.map((part, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
          <Part key={place} part={part} thinking={running && place === answer.parts.length - 1} />
        ))
      )}
      {running && text === '' && (
        <Loader type="dots" size="sm" role="status" aria-label="Waiting for the answer" />
      )}
      {note && <p className={classes.note}>{note}</p>}
      {answer.failure && <Failure problem={problemOfFailure(answer.failure)} requestId={answer.requestId} />}
      {!running && <AnswerFooter {...props} text={text} />}
    </article>
  );
});

/** Returns a note on how an answer without an error ended. */
function noteOf({ state, finish, finishRaw, parts }: Answer): string | undefined {
  if (state === 'stopped') return 'Stopped.';
  if (state !== 'done') return undefined;
  if (finish === 'length') return 'The answer reached its token limit.';
  if (finish === 'filter') return "The provider's content filter withheld the rest of the answer.";
  if (finish === 'refusal') return 'The model refused.';
  if (finish === 'other') return `The answer ended for the reason ${finishRaw}.`;
  return parts.length === 0 ? 'The answer is empty.' : undefined;
}
