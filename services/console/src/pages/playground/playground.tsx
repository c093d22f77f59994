import { Button, Tabs, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Loading } from '../layout/states.tsx';
import type { CodeRequest } from '../snippets/request.ts';
import { isUsable, type ModelNames, modelNames } from '../token/check-token.ts';
import { ModelFacts, ModelField } from '../token/model-field.tsx';
import { useToken } from '../token/token-context.tsx';
import { useRefreshAfter } from '../token/use-refresh-after.ts';
import type { AskOptions } from './ask/use-conversation.ts';
import { ChatPanel } from './chat/chat-panel.tsx';
import { columnsIn } from './compare/columns.ts';
import { historyOf } from './conversation/history.ts';
import type { Turn } from './conversation/turn.ts';
import { formats } from './formats/formats.ts';
import { hintFor, refusal } from './operation/operation.ts';
import { SetUpPage } from './operation/set-up-page.tsx';
import classes from './playground.module.css';
import { FileButtons, KeptMenu } from './saved/saved-menu.tsx';
import { type Opened, useOpened } from './saved/use-saved.ts';
import { FormatField } from './settings/format-field.tsx';
import { settingsProblem } from './settings/schema-problem.ts';
import { SettingsPanel } from './settings/settings-panel.tsx';
import { type PlaygroundState, usePlayground } from './use-playground.ts';

// What no one sees at first is loaded when it is opened.
const ComparePanel = lazy(() =>
  import('./compare/compare-panel.tsx').then(tab => ({ default: tab.ComparePanel })),
);
const RequestCode = lazy(() =>
  import('../snippets/request-code.tsx').then(tab => ({ default: tab.RequestCode })),
);
const RequestPanel = lazy(() =>
  import('./request/request-panel.tsx').then(tab => ({ default: tab.RequestPanel })),
);

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
  const reason = refusal(token);
  const blocked = reason ? ({ by: 'token', reason } as const) : undefined;
  // On a phone, the chat begins below what is needed for it.
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <SetUpPage
      title="Playground"
      setUp={
        <>
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
        </>
      }
    >
      <Work
        playground={playground}
        options={{ secret: token.secret, model, format, settings }}
        models={models}
        hint={hintFor(blocked, { name: model, usable: isUsable(model, models) }, settingsProblem(settings))}
      />
    </SetUpPage>
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
        <Suspense fallback={<Loading />}>
          {tab === 'request' && <Inspected {...{ playground, options, answer: answer?.id }} />}
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="code" className={classes.panel as string}>
        <Suspense fallback={<Loading />}>
          {tab === 'code' && <CodePanel options={options} path={path} />}
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="compare" className={classes.panel as string}>
        <Suspense fallback={<Loading />}>
          {compared && <ComparePanel options={options} models={models} hint={hint} />}
        </Suspense>
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
          The browser cannot save this conversation.
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

/** Code for the last question of a conversation, or for a first one, in the chosen format with all that is set. */
function CodePanel({ options, path }: { options: AskOptions; path: readonly Turn[] }) {
  const { format, settings, secret } = options;
  const model = options.model || 'MODEL_NAME';
  const request = useMemo((): CodeRequest => {
    const asked = path.slice(0, path.findLastIndex(({ role }) => role === 'user') + 1);
    const turns = historyOf(asked);
    const hello = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hello' }] };
    const built = formats[format].build({ model, turns: turns.length > 0 ? turns : [hello], settings });
    return { ...built, format, model, baseUrl: window.location.origin };
  }, [path, format, settings, model]);
  return <RequestCode request={request} secret={secret} />;
}
