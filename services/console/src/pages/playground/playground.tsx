import { Tabs, Title } from '@mantine/core';
import { useState } from 'react';
import { useChat } from '../chat/use-chat.ts';
import { isUsable, modelNames } from '../token/check-token.ts';
import { type TokenState, useToken } from '../token/token-context.tsx';
import { TokenFacts } from '../token/token-facts.tsx';
import { TokenField } from '../token/token-field.tsx';
import { useRefreshAfter } from '../token/use-refresh-after.ts';
import { ChatPanel } from './chat-panel.tsx';
import { CodePanel } from './code-panel.tsx';
import { ModelFacts, ModelField } from './model-field.tsx';
import classes from './playground.module.css';
import { noSettings, SettingsPanel } from './settings-panel.tsx';

/** The page to try models: a token, a model, a conversation, and the code for the same request. */
export function Playground() {
  const token = useToken();
  const { secret, check } = token;
  const [chosen, setChosen] = useState<string>();
  const [settings, setSettings] = useState(noSettings);
  const chat = useChat();
  useRefreshAfter(chat.running);
  const models = modelNames(check);
  const model = chosen ?? models.names[0] ?? '';
  const usable = isUsable(model, models);
  return (
    <div className={classes.page}>
      <section className={classes.setup} aria-label="Set-up">
        <Title order={1} size="h4">
          Playground
        </Title>
        <TokenField />
        <TokenFacts />
        <ModelField
          models={models}
          value={model}
          onChange={setChosen}
          disabled={!check || check.state === 'refused'}
        />
        <ModelFacts models={models} value={model} />
        <SettingsPanel settings={settings} onChange={setSettings} />
      </section>
      <Tabs defaultValue="chat" className={classes.work} keepMounted>
        <Tabs.List>
          <Tabs.Tab value="chat">Chat</Tabs.Tab>
          <Tabs.Tab value="code">Use it in code</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="chat" className={classes.panel}>
          <ChatPanel
            chat={chat}
            options={{ secret, model, ...settings }}
            hint={usable ? undefined : hintFor(token, model)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="code" className={classes.panel}>
          <CodePanel secret={secret} model={model} />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

/** Returns the reason why no question can be sent yet. */
function hintFor({ checking, problem, check }: TokenState, model: string): string {
  if (checking) return 'Checking the token…';
  if (problem) return 'The token could not be checked.';
  if (!check || check.state === 'refused') return 'Paste a valid token to begin.';
  return model === '' ? 'Choose a model to begin.' : `The token may not use a model named ${model}.`;
}
