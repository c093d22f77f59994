import { Button, Collapse } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import type { CodeRequest } from '../../snippets/request.ts';
import { RequestCode } from '../../snippets/request-code.tsx';

/** Code that makes a request. Closed until somebody opens it. */
export function CodeDisclosure({ request, secret }: { request: CodeRequest; secret: string }) {
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
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
        {opened && <RequestCode request={request} secret={secret} />}
      </Collapse>
    </div>
  );
}
