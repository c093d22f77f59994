import { Group, Code as Inline, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CodeBlock, Copy } from '../layout/code-block.tsx';
import { HighlightedCode } from '../markdown/markdown.tsx';
import { asWhole, type CodeRequest, isStreamed, type Language, languages } from './request.ts';
import classes from './request-code.module.css';
import { setSecret } from './shell.ts';
import { codeFor, languageLabels } from './snippets.ts';

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
            label="Stream"
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
