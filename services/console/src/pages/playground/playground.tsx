import { Button, Tabs, Text, Title } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Loading } from '../layout/states.tsx';
import { isUsable, type ModelNames, modelNames } from '../token/check-token.ts';
import { type TokenState, useToken } from '../token/token-context.tsx';
import { TokenFacts } from '../token/token-facts.tsx';
import { TokenField } from '../token/token-field.tsx';
import { useRefreshAfter } from '../token/use-refresh-after.ts';
import type { AskOptions } from './ask/use-conversation.ts';
import { ChatPanel } from './chat/chat-panel.tsx';
import { CodePanel } from './code-panel.tsx';
import { columnsIn } from './compare/columns.ts';
import { ComparePanel } from './compare/compare-panel.tsx';
import { historyOf } from './conversation/history.ts';
import { FormatField } from './format-field.tsx';
import { formats } from './formats/formats.ts';
import { ModelFacts, ModelField } from './model-field.tsx';
import classes from './playground.module.css';
import { RequestPanel } from './request/request-panel.tsx';
import { FileButtons } from './saved/file-buttons.tsx';
import { KeptMenu } from './saved/kept-menu.tsx';
import { type Opened, useOpened } from './saved/use-saved.ts';
import { SettingsPanel } from './settings/settings-panel.tsx';
import { settingsProblem } from './settings/settings-problem.ts';
import { type PlaygroundState, usePlayground } from './use-playground.ts';

/** The page to try models: a token, a model, a conversation in any wire format, its requests, and the code for them. */
export function Playground() {
  const opened = useOpened();
  return opened ? <OpenPlayground key={opened.id} opened={opened} /> : <Loading what="the conversation" />;
}

function OpenPlayground({ opened }: { opened: Opened }) {
  const token = useToken();
  const playground = usePlayground(opened);
  useRefreshAfter(playground.chat.running);
  const { format, settings } = playground;
  const models = modelNames(token.check);
  const model = playground.model || (models.names[0] ?? '');
  // On a phone, the chat begins below what is needed for it.
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, { toggle }] = useDisclosure();
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
          onChange={playground.setModel}
          disabled={!token.check || token.check.state === 'refused'}
        />
        <ModelFacts models={models} value={model} />
        {isNarrow && (
          <Button variant="default" size="xs" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? 'Fewer settings' : 'Format and settings'}
          </Button>
        )}
        {(!isNarrow || isOpen) && (
          <>
            <FormatField value={format} onChange={playground.setFormat} />
            <SettingsPanel format={formats[format]} settings={settings} onChange={playground.setSettings} />
          </>
        )}
      </section>
      <Work
        playground={playground}
        options={{ secret: token.secret, model, format, settings }}
        models={models}
        hint={isUsable(model, models) ? settingsProblem(settings) : hintFor(token, model)}
      />
    </div>
  );
}

function Work({
  playground,
  options,
  models,
  hint,
}: {
  playground: PlaygroundState;
  options: AskOptions;
  models: ModelNames;
  hint: string | undefined;
}) {
  const { chat, attached, attach } = playground;
  const [query] = useSearchParams();
  // A link with columns opens them.
  const [tab, setTab] = useState<string | null>(() => (columnsIn(query).length > 0 ? 'compare' : 'chat'));
  const [inspected, setInspected] = useState<number>();
  // What is compared goes on while another tab is shown.
  const compared = useSticky(tab === 'compare');
  const { path } = chat;
  const answer = path.find(({ id }) => id === inspected) ?? path.findLast(({ role }) => role === 'assistant');
  const inspect = (id: number) => {
    setInspected(id);
    setTab('request');
  };
  return (
    <Tabs value={tab} onChange={setTab} className={classes.work as string} keepMounted>
      <div className={classes.head}>
        <Tabs.List className={classes.tabs as string}>
          <Tabs.Tab value="chat">Chat</Tabs.Tab>
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="code">Use it in code</Tabs.Tab>
          <Tabs.Tab value="compare">Compare</Tabs.Tab>
        </Tabs.List>
        <KeptMenu onOpen={playground.open} />
        <FileButtons saved={playground.saved} onOpen={playground.open} />
      </div>
      <Tabs.Panel value="chat" className={classes.panel as string}>
        <ChatPanel
          {...{ chat, options, hint, attached }}
          onAttach={attach}
          onInspect={inspect}
          more={<More playground={playground} />}
        />
      </Tabs.Panel>
      <Tabs.Panel value="request" className={classes.panel as string}>
        {tab === 'request' && <Inspected {...{ playground, options, answer: answer?.id }} />}
      </Tabs.Panel>
      <Tabs.Panel value="code" className={classes.panel as string}>
        {tab === 'code' && <CodePanel options={options} path={path} />}
      </Tabs.Panel>
      <Tabs.Panel value="compare" className={classes.panel as string}>
        {compared && <ComparePanel options={options} models={models} hint={hint} />}
      </Tabs.Panel>
    </Tabs>
  );
}

/** Returns true once a value has been true. */
function useSticky(value: boolean): boolean {
  const [was, setWas] = useState(value);
  if (value && !was) setWas(true);
  return was || value;
}

function More({ playground: { chat, kept, clear } }: { playground: PlaygroundState }) {
  return (
    <>
      {!kept && (
        <Text size="xs" c="dimmed">
          The browser does not keep this conversation.
        </Text>
      )}
      {chat.path.length > 0 && (
        <Button variant="subtle" onClick={clear}>
          New chat
        </Button>
      )}
    </>
  );
}

function Inspected({
  playground: { chat },
  options: { model, format, settings },
  answer,
}: {
  playground: PlaygroundState;
  options: AskOptions;
  answer: number | undefined;
}) {
  const exchange = answer === undefined ? undefined : chat.exchange(answer);
  const preview = useMemo(
    () => formats[format].build({ model, turns: historyOf(chat.path), settings }),
    [model, format, settings, chat.path],
  );
  const title = exchange ? `${formats[exchange.format].label}, as it was sent` : '';
  return <RequestPanel key={answer} exchange={exchange} preview={preview} title={title} />;
}

/** Returns the reason why no question can be sent yet. */
function hintFor({ checking, problem, check }: TokenState, model: string): string {
  if (checking) return 'Checking the token…';
  if (problem) return 'The token could not be checked.';
  if (!check || check.state === 'refused') return 'Paste a valid token to begin.';
  return model === '' ? 'Choose a model to begin.' : `The token may not use a model named ${model}.`;
}
