import { Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock, Copy } from '../shell/code-block.tsx';
import classes from './code-panel.module.css';
import { snippets } from './snippets.ts';

/** How to ask the chosen model from elsewhere; the token stays out of it until it is asked for. */
export function CodePanel({ secret, model }: { secret: string; model: string }) {
  const [revealed, setRevealed] = useState(false);
  const baseUrl = `${window.location.origin}/v1`;
  const token = revealed && secret ? secret : 'YOUR_TOKEN';
  return (
    <Stack className={classes.panel} gap="md">
      <div className={classes.base}>
        <Text size="sm">
          Base URL <code>{baseUrl}</code>
        </Text>
        <Copy text={baseUrl} label="Copy base URL" />
      </div>
      <Switch
        label="Put my token in"
        checked={revealed}
        disabled={secret === ''}
        onChange={event => setRevealed(event.currentTarget.checked)}
      />
      {snippets({ baseUrl, token, model: model || 'NAME_OF_A_MODEL' }).map(snippet => (
        <CodeBlock key={snippet.label} {...snippet} />
      ))}
    </Stack>
  );
}
