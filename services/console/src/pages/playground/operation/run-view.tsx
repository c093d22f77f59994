import { Group, Loader, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock, Copy } from '../../layout/code-block.tsx';
import { formatMoney, formatMs } from '../../layout/format.ts';
import type { CodeRequest } from '../../snippets/request.ts';
import { RequestCode } from '../../snippets/request-code.tsx';
import type { Quantities } from '../../token/cost.ts';
import { Disclosure } from './disclosure.tsx';
import { Failure } from './failure.tsx';
import classes from './operation.module.css';
import { requestText, shortened } from './request.ts';
import { headerOf, type RawPart, type Run } from './run.ts';

/** An answer with how it ended: the result, the error if it failed, the facts, and the exact request and answer. */
export function RunView<Result>({
  run,
  label,
  code,
  children,
  ...figures
}: Figures & {
  run: Run<Result>;
  /** The name of the answer, such as `Ranking`. */
  label: string;
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
      {state !== 'running' && <Facts run={run} {...figures} />}
      <ExchangePanel run={run} />
      {code && (
        <Disclosure label="Use it in code">
          <RequestCode {...code} />
        </Disclosure>
      )}
    </article>
  );
}

interface Figures {
  used: Quantities;
  facts?: (string | null | undefined)[] | undefined;
  /** In US dollars; null if it is unknown. */
  cost: number | null;
}

function Facts({ run, used, facts = [], cost }: Figures & { run: Run<unknown> }) {
  const { model, firstMs, totalMs, raw, state } = run;
  const target = headerOf(run, 'x-gateway-target');
  const requestId = headerOf(run, 'x-request-id');
  const texts = [
    model,
    target && `served by ${target}`,
    ...facts,
    ...usedTexts(used),
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

/** Writes what was used, such as `12 tokens in`. */
function usedTexts({ input, output, images, searches, characters, seconds }: Quantities): string[] {
  const tokens = [
    input !== undefined && `${input.toLocaleString()} tokens in`,
    output !== undefined && `${output.toLocaleString()} out`,
  ].filter(Boolean);
  return [
    images ? plural(images, 'image') : '',
    tokens.join(', '),
    characters !== undefined ? `${characters.toLocaleString()} characters` : '',
    searches !== undefined ? plural(searches, 'search unit') : '',
    seconds !== undefined ? `${seconds.toFixed(1)} s of audio` : '',
  ];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A part of an answer under its title. */
export function ResultSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** The exact request, the headers of the response, and the answer as it came. Closed until somebody opens it. */
function ExchangePanel({ run: { request, headers, raw } }: { run: Run<unknown> }) {
  return (
    <Disclosure label="Request and raw response">
      <CodeBlock label="request" code={shortened(requestText(request))} />
      {headers.length > 0 && (
        <CodeBlock
          label="response headers"
          code={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      )}
      {raw.length > 0 && <CodeBlock label="raw response" code={rawText(raw)} />}
    </Disclosure>
  );
}

/** The most parts of a raw answer that are shown. */
const maxParts = 500;

/** Writes the parts of an answer, each with its time if there are several. */
function rawText(parts: readonly RawPart[]): string {
  const lines = parts
    .slice(0, maxParts)
    .map(({ text, ms }) =>
      parts.length === 1 ? shortened(text) : `${Math.round(ms)} ms  ${shortened(text)}`,
    );
  const left = parts.length - maxParts;
  return [...lines, ...(left > 0 ? [`… and ${left} more`] : [])].join('\n');
}
