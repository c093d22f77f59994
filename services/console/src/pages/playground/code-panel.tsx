import { Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock, Copy } from '../shell/code-block.tsx';
import classes from './code-panel.module.css';
import { snippets } from './snippets.ts';

/** Code that calls the chosen model. It contains the token only if the user turns that on. */
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
        label="Include my token"
        checked={revealed}
        disabled={secret === ''}
        onChange={event => setRevealed(event.currentTarget.checked)}
      />
      {snippets({ baseUrl, token, model: model || 'MODEL_NAME' }).map(snippet => (
        <CodeBlock key={snippet.label} {...snippet} />
      ))}
    </Stack>
  );
}
