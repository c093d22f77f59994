import { Group, Code as Inline, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { HighlightedCode } from '../markdown/markdown.tsx';
import { CodeBlock, Copy } from '../shell/code-block.tsx';
import { asWhole, type CodeRequest, isStreamed, type Language, languages } from '../snippets/request.ts';
import { setSecret } from '../snippets/secret.ts';
import { codeFor, languageLabels } from '../snippets/snippets.ts';
import classes from './code-panel.module.css';
import { historyOf } from './conversation/history.ts';
import type { Turn } from './conversation/turn.ts';
import { formats } from './formats/formats.ts';
import type { AskOptions } from './run/use-conversation.ts';

/** Code for the last question of a conversation, or for a first one, in the chosen format with all that is set. */
export function CodePanel({ options, path }: { options: AskOptions; path: readonly Turn[] }) {
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

/**
 * Code that makes a request, in a language of choice. It has the token only if the user turns that on, and then in a line of its own. An
 * answer that streams may be asked for whole.
 */
export function RequestCode({ request, secret }: { request: CodeRequest; secret: string }) {
  const [language, setLanguage] = useState<Language>('curl');
  const [whole, setWhole] = useState(false);
  const [revealed, setRevealed] = useState(false);
  const streams = isStreamed(request);
  const written = useMemo(
    () => codeFor(language, whole ? asWhole(request) : request),
    [language, whole, request],
  );
  const base = `${request.baseUrl}${language !== 'curl' && hasOwnRoot(request) ? '' : '/v1'}`;
  const shell = setSecret(revealed ? secret : undefined);
  return (
    <Stack className={classes.panel as string} gap="md">
      <Group gap="md">
        <SegmentedControl
          aria-label="Language"
          size="xs"
          value={language}
          onChange={value => setLanguage(value as Language)}
          data={languages.map(value => ({ value, label: languageLabels[value] }))}
        />
        {streams && (
          <Switch
            size="sm"
            label="Streamed"
            checked={!whole}
            onChange={event => setWhole(!event.currentTarget.checked)}
          />
        )}
        <Switch
          size="sm"
          label="Include my token"
          checked={revealed}
          disabled={secret === ''}
          onChange={event => setRevealed(event.currentTarget.checked)}
        />
      </Group>
      <div className={classes.base}>
        <Text size="sm">
          Base URL <Inline>{base}</Inline>
        </Text>
        <Copy text={base} label="Copy base URL" />
      </div>
      <CodeBlock label="Shell" code={written.install ? `${written.install}\n${shell}` : shell} />
      {written.files.length > 0 && (
        <Text size="sm">
          The code reads {written.files.map(({ name }) => name).join(', ')} from the folder in which it runs.
        </Text>
      )}
      <HighlightedCode
        label={languageLabels[language]}
        language={language === 'curl' ? 'bash' : language}
        code={written.code}
      />
    </Stack>
  );
}

/** The SDKs of these formats add the version to the path. */
function hasOwnRoot({ format }: CodeRequest): boolean {
  return format === 'messages' || format === 'generate-content' || format === 'rerank';
}
