import { Button, Collapse } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import type { CodeFormat } from '../../snippets/request.ts';
import { RequestCode } from '../../snippets/request-code.tsx';
import type { OperationRequest } from './operation.ts';
import type { Run } from './run.ts';

/** The request of a run as a program. Closed until somebody opens it. */
export function RequestCodePanel({
  run: { model, request },
  format,
  secret,
}: {
  run: Run<unknown>;
  format: CodeFormat;
  secret: string;
}) {
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  const code = { format, baseUrl: location.origin, path: request.path, model, body: codeBody(request) };
  return (
    <div>
      <Button
        variant="default"
        size="compact-sm"
        onClick={toggle}
        aria-expanded={opened}
        aria-controls={id}
        rightSection={<span aria-hidden>{opened ? '▴' : '▾'}</span>}
      >
        Use it in code
      </Button>
      <Collapse expanded={opened} transitionDuration={0} id={id}>
        {opened && <RequestCode request={code} secret={secret} />}
      </Collapse>
    </div>
  );
}

/** The JSON of a body, or the fields of a form with the names of files. Fields that occur several times are lists. */
function codeBody({ body }: OperationRequest): Record<string, unknown> {
  if (body.type === 'json') return body.json;
  const values: Record<string, unknown> = {};
  for (const [name, value] of body.fields) {
    const text = typeof value === 'string' ? value : value.name;
    const key = name.replace(/\[\]$/, '');
    values[key] = name.endsWith('[]') ? [...((values[key] as unknown[]) ?? []), text] : text;
  }
  return values;
}
