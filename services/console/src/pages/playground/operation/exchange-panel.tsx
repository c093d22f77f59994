import { CodeBlock } from '../../layout/code-block.tsx';
import { Disclosure } from './disclosure.tsx';
import { requestText } from './operation.ts';
import type { RawPart, Run } from './run.ts';
import { shortened } from './shortened.ts';

/** The exact request, the headers of the response, and the answer as it came. Closed until somebody opens it. */
export function ExchangePanel({ run }: { run: Run<unknown> }) {
  const { request, headers, raw } = run;
  return (
    <Disclosure label="Request and raw answer">
      <CodeBlock label="request" code={shortened(requestText(request))} />
      {headers.length > 0 && (
        <CodeBlock
          label="response headers"
          code={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      )}
      {raw.length > 0 && <CodeBlock label="raw answer" code={rawText(raw)} />}
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
