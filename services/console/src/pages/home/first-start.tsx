import { Alert, Anchor, Button, Code, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { CodeBlock } from '../layout/code-block.tsx';
import { Page } from '../layout/page.tsx';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import classes from './first-start.module.css';
import { useFirstSteps } from './use-first-steps.ts';

/** The three steps to the first answer, each ticked once it is done. */
export function FirstStart() {
  const { signedIn, model, token, answer } = useFirstSteps();
  return (
    <Page title="First steps" about="Three steps to the first response.">
      <Stack component="ol" gap="sm" maw={760} className={classes.steps}>
        <Step number={1} title="Sign in" done={signedIn}>
          <SignInStep done={signedIn === true} />
        </Step>
        <Step number={2} title="Add a model and a token" done={both(model, token)}>
          <ModelAndToken model={model} token={token} />
        </Step>
        <Step number={3} title="Send the first request" done={answer}>
          <FirstAnswer />
        </Step>
      </Stack>
      {answer && (
        <Alert color="green" title="The gateway works" maw={760} role="status">
          The home page is now{' '}
          <Anchor component={Link} to="/usage" inherit c="inherit">
            usage
          </Anchor>
          . These steps stay in the search under “first steps”.
        </Alert>
      )}
    </Page>
  );
}

function both(first: boolean | undefined, second: boolean | undefined): boolean | undefined {
  if (first === undefined || second === undefined) return undefined;
  return first && second;
}

function Step({
  number,
  title,
  done,
  children,
}: {
  number: number;
  title: string;
  done: boolean | undefined;
  children: ReactNode;
}) {
  return (
    <Paper component="li" withBorder p="md" aria-label={`Step ${number}: ${title}`}>
      <Group gap="md" align="flex-start" wrap="nowrap">
        <ThemeIcon
          radius="xl"
          size={28}
          color={done ? 'green.8' : 'gray.7'}
          variant={done ? 'filled' : 'outline'}
        >
          <span aria-hidden="true">{done ? '✓' : number}</span>
        </ThemeIcon>
        <Stack gap="xs" className={classes.step}>
          <Title order={2} size="h5">
            {title}
            <Text span size="sm" c="dimmed" fw={400} ml="xs">
              {done ? 'Done' : 'Open'}
            </Text>
          </Title>
          {children}
        </Stack>
      </Group>
    </Paper>
  );
}

function SignInStep({ done }: { done: boolean }) {
  const { session } = useSession();
  if (done) {
    return (
      <Text size="sm">
        You are signed in as {session?.name}. Change the password of the first start on the page of{' '}
        <Anchor component={Link} to="/account" inherit>
          your account
        </Anchor>
        .
      </Text>
    );
  }
  return (
    <>
      <Text size="sm">
        The first admin is the user <Code>admin</Code>. The password is in the file{' '}
        <Code>admin-password</Code> of the gateway's data folder, which is <Code>.gateway</Code> unless{' '}
        <Code>GATEWAY_DATA</Code> names another.
      </Text>
      <Group>
        <Button component={Link} to="/sign-in?returnTo=/start" size="xs">
          Sign in
        </Button>
      </Group>
    </>
  );
}

function ModelAndToken({ model, token }: { model: boolean | undefined; token: boolean | undefined }) {
  const { session } = useSession();
  return (
    <>
      <Text size="sm">
        {model
          ? 'The catalog has models. '
          : 'Add a provider and a model, or start the gateway with the key of a provider in its environment; npm start brings a simulator that costs nothing. '}
        {token ? 'There is a token, too.' : 'Then create a token, which clients send with each request.'}
      </Text>
      <Group gap="xs">
        {may(session, 'listProviders') && (
          <Button component={Link} to="/providers" size="xs" variant="default">
            Providers
          </Button>
        )}
        {may(session, 'createToken') && (
          <Button component={Link} to="/tokens/new" size="xs" variant={token ? 'default' : 'filled'}>
            Create a token
          </Button>
        )}
      </Group>
    </>
  );
}

function FirstAnswer() {
  const { origin } = window.location;
  const code = `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $MODEL_GATEWAY_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "sim-1", "messages": [{"role": "user", "content": "Hello"}]}'`;
  return (
    <>
      <Text size="sm">
        Ask a model in the Playground, or send the request with the token from a shell. Put the name of one of
        your models in place of <Code>sim-1</Code>, which is the simulator's.
      </Text>
      <Group>
        <Button component={Link} to="/playground" size="xs" variant="default">
          Open the Playground
        </Button>
      </Group>
      <CodeBlock label="curl" code={code} />
    </>
  );
}
