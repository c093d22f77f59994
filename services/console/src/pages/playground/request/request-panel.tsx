import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CodeBlock } from '../../layout/code-block.tsx';
import { Empty } from '../../layout/states.tsx';
import type { Exchange } from '../ask/exchange.ts';
import type { WireRequest } from '../formats/format.ts';
import { FilteredEvents } from './events.tsx';
import classes from './request-panel.module.css';

/** The exact request of an answer, and what came back. Without an answer, the request that would be sent. */
export function RequestPanel({
  exchange,
  preview,
  title,
}: {
  exchange: Exchange | undefined;
  preview: WireRequest | undefined;
  title: string;
}) {
  const [part, setPart] = useState('request');
  const request = exchange?.request ?? preview;
  if (!request) return <Empty title="No request yet">Ask something, and its request is shown here.</Empty>;
  return (
    <Stack className={classes.panel as string} gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {exchange ? title : 'The next request, without the message that is being written.'}
        </Text>
        <SegmentedControl
          size="xs"
          transitionDuration={0}
          aria-label="Part of the exchange"
          value={part}
          onChange={setPart}
          data={[
            { value: 'request', label: 'Request' },
            { value: 'events', label: `Events (${exchange ? exchange.events.length + exchange.left : 0})` },
            { value: 'response', label: 'Response headers' },
          ]}
        />
      </Group>
      {part === 'request' && <RequestView request={request} />}
      {part === 'events' && <Events exchange={exchange} />}
      {part === 'response' && <ResponseView exchange={exchange} />}
    </Stack>
  );
}

function RequestView({ request }: { request: WireRequest }) {
  const { method, path, headers, credential, body } = request;
  const exact = useMemo(() => JSON.stringify(body, undefined, 2), [body]);
  const shown = useMemo(() => JSON.stringify(body, shortened, 2), [body]);
  const lines = Object.entries({ ...headers, [credential.header]: `${credential.prefix}YOUR_TOKEN` });
  const head = [`${method} ${path}`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return (
    <>
      <CodeBlock label="Headers" code={head} />
      <CodeBlock label="Body" code={exact}>
        {shown}
      </CodeBlock>
    </>
  );
}

/** The most characters of a text that are shown; files are longer. */
const mostShown = 2_000;

function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= mostShown) return value;
  return `${value.slice(0, 200)}… (${value.length} characters; Copy has all of them)`;
}

function Events({ exchange }: { exchange: Exchange | undefined }) {
  if (!exchange) return <Empty title="No events">Events are stored until you leave the page.</Empty>;
  const { events, left } = exchange;
  return (
    <FilteredEvents
      events={events}
      missing={left > 0 ? `${left} not stored` : undefined}
      text={({ event, data }) => `${event ? `event: ${event}\n` : ''}data: ${data}\n`}
    />
  );
}

function ResponseView({ exchange }: { exchange: Exchange | undefined }) {
  if (exchange?.status === undefined)
    return <Empty title="No response">The headers are shown once the gateway responds.</Empty>;
  const lines = exchange.headers.map(([name, value]) => `${name}: ${value}`);
  return <CodeBlock label="Response headers" code={[`Status ${exchange.status}`, ...lines].join('\n')} />;
}
