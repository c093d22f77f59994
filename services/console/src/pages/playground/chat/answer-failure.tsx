import { Alert } from '@mantine/core';
import { inPlainWords } from '../../problem.ts';
import { type Answer, problemOfFailure } from '../conversation/turn.ts';
import classes from './answer-view.module.css';

/** The failure of an answer: the gateway's message, its code and the request's id. */
export function AnswerFailure({ answer: { failure, requestId } }: { answer: Answer }) {
  if (!failure) return null;
  const { code, status, requestId: failedId = requestId } = failure;
  return (
    <Alert
      variant="outline"
      color="red"
      role="alert"
      title={inPlainWords(problemOfFailure(failure))}
      classNames={{ title: classes.failure as string }}
    >
      <p className={classes.prose}>{failure.message}</p>
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
