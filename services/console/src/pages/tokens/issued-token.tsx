import { Alert, Button, Code, Group, Stack } from '@mantine/core';
import type { IssuedToken } from '@model-gateway/admin-api';
import { useEffect, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { Copy } from '../layout/code-block.tsx';
import { Page, Section } from '../layout/page.tsx';
import { useWarnBeforeLeaving } from '../layout/use-record-form.ts';
import { useModelNames } from '../settings-form/inputs.tsx';
import { SetUpSnippets } from '../snippets/set-up-snippets.tsx';
import { useToken } from '../token/token-context.tsx';
import { TokenTrial } from './token-trial.tsx';

/** The page after a token is created: its secret, which is not shown again, and the ways to use it. */
export function IssuedTokenPage({ token }: { token: IssuedToken }) {
  const heading = useRef<HTMLDivElement>(null);
  const names = useModelNames();
  const secret = token.token ?? '';
  useWarnBeforeLeaving(true);
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus();
  }, []);
  return (
    <Page
      title={`Token ${token.name} created`}
      about={`It belongs to the project ${token.project} and can be used now.`}
      actions={
        <Button component={Link} to={`/tokens/${encodeURIComponent(token.id)}`} variant="default" size="sm">
          View token
        </Button>
      }
    >
      <Stack gap="md" maw={900}>
        <Alert
          ref={heading}
          tabIndex={-1}
          color="yellow"
          title="Copy the secret now. It cannot be shown again."
        >
          <Group gap="xs">
            <Code fz="sm" p="xs" aria-label="The secret" style={{ overflowWrap: 'anywhere' }}>
              {secret}
            </Code>
            <Copy text={secret} label="Copy the secret" />
            <OpenInPlayground secret={secret} />
          </Group>
        </Alert>
        <Section title="Set up a client">
          <SetUpSnippets
            baseUrl={window.location.origin}
            secret={secret}
            model={modelFor(token.models, names)}
          />
        </Section>
        <Section title="Test">
          <TokenTrial known={secret} effect="" />
        </Section>
      </Stack>
    </Page>
  );
}

/** Hands a secret to the Playground in the tab's memory, never in an address. */
export function OpenInPlayground({ secret }: { secret: string }) {
  const { setSecret } = useToken();
  const navigate = useNavigate();
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => {
        setSecret(secret);
        navigate('/playground');
      }}
    >
      Open in the Playground
    </Button>
  );
}

/** Returns a model for examples: a name that the token may use or, if only patterns are known, a placeholder. */
function modelFor(scope: string[] | null, names: string[]): string {
  const allowed = scope ?? names;
  return allowed.find(name => !name.includes('*')) ?? names.find(name => !name.includes('*')) ?? 'MODEL_NAME';
}
