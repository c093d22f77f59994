import { Alert, Stack } from '@mantine/core';
import { inPlainWords, type Problem } from '../../problem.ts';
import classes from './operation.module.css';

/** An error of the gateway: what it means, its message, and what to look for in the logs. */
export function Failure({ problem, requestId }: { problem: Problem; requestId?: string | undefined }) {
  const { code, status } = problem.facts;
  const facts = [
    ['Code', code],
    ['Status', status],
    ['Request', requestId ?? problem.facts.requestId],
  ].filter(([, value]) => value);
  return (
    <Alert
      variant="outline"
      color="red"
      role="alert"
      title={inPlainWords(problem)}
      classNames={{ title: classes.title as string }}
    >
      <Stack gap="xs">
        <span className={classes.message}>{problem.message}</span>
        <dl className={classes.facts}>
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      </Stack>
    </Alert>
  );
}
