import { Group, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copy } from '../../layout/code-block.tsx';
import { formatMoney, formatMs } from '../../layout/format.ts';
import type { CodeRequest } from '../../snippets/request.ts';
import { RequestCode } from '../../snippets/request-code.tsx';
import { Disclosure } from './disclosure.tsx';
import { ExchangePanel } from './exchange-panel.tsx';
import { Failure } from './failure.tsx';
import { headerOf, type Run } from './run.ts';
import classes from './run-view.module.css';

/** An answer with how it ended: the result, the error if it failed, the facts, and the exact request and answer. */
export function RunView<Result>({
  run,
  label,
  figures = [],
  cost,
  code,
  children,
}: {
  run: Run<Result>;
  /** The name of the answer, such as `Ranking`. */
  label: string;
  /** What was used, such as `12 tokens in`. */
  figures?: (string | false | undefined)[];
  /** In US dollars; null if it is unknown. */
  cost: number | null;
  /** The request to show code for, and the token. */
  code?: { request: CodeRequest; secret: string } | undefined;
  children: ReactNode;
}) {
  const { state, problem } = run;
  return (
    <article className={classes.run} aria-label={label} aria-busy={state === 'running'} data-state={state}>
      {children}
      {state === 'running' && (
        <Loader type="dots" size="sm" role="status" aria-label="Waiting for the answer" />
      )}
      {state === 'stopped' && (
        <Text size="sm" c="dimmed" fs="italic">
          Stopped.
        </Text>
      )}
      {problem && <Failure problem={problem} requestId={headerOf(run, 'x-request-id')} />}
      {state !== 'running' && <Facts run={run} figures={figures} cost={cost} />}
      <ExchangePanel run={run} />
      {code && (
        <Disclosure label="Use it in code">
          <RequestCode {...code} />
        </Disclosure>
      )}
    </article>
  );
}

function Facts({
  run,
  figures,
  cost,
}: {
  run: Run<unknown>;
  figures: (string | false | undefined)[];
  cost: number | null;
}) {
  const { model, firstMs, totalMs, raw, state } = run;
  const target = headerOf(run, 'x-gateway-target');
  const requestId = headerOf(run, 'x-request-id');
  const texts = [
    model,
    target && `served by ${target}`,
    ...figures,
    state === 'done' && (cost === null ? 'cost unknown' : formatMoney(cost)),
    firstMs !== undefined && raw.length > 1 && `first part after ${formatMs(firstMs)}`,
    totalMs !== undefined && `${formatMs(totalMs)} in total`,
  ].filter(Boolean);
  return (
    <Group component="footer" gap="xs" className={classes.figures as string}>
      <span>{texts.join(' · ')}</span>
      {requestId && <Copy text={requestId} label="Copy request id" />}
    </Group>
  );
}
