import { Group, Table, Text, Title } from '@mantine/core';
import { Copy } from '../../layout/code-block.tsx';
import { ResultSection } from '../operation/result-section.tsx';
import { type Transcript, timeText } from './transcript.ts';

interface Row {
  start: number;
  end: number;
  text: string;
  speaker?: string | null | undefined;
}

/** A transcript: its text, and its segments and words with their times. */
export function TranscriptView({ transcript: { text, segments, words } }: { transcript: Transcript }) {
  return (
    <>
      <section aria-label="Text">
        <Group justify="space-between">
          <Title order={2} size="h5">
            Text
          </Title>
          <Copy text={text} label="Copy text" />
        </Group>
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>
      </section>
      {segments && segments.length > 0 && <Times label="Segments" rows={segments} />}
      {words && words.length > 0 && (
        <Times label="Words" rows={words.map(({ word, ...times }) => ({ ...times, text: word }))} />
      )}
    </>
  );
}

/** The most rows that are shown; the raw answer has more. */
const maxRows = 500;

function Times({ label, rows }: { label: string; rows: readonly Row[] }) {
  const hasSpeakers = rows.some(({ speaker }) => speaker);
  return (
    <ResultSection title={label}>
      <Table.ScrollContainer
        minWidth={320}
        maxHeight={360}
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table aria-label={label} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Start</Table.Th>
              <Table.Th>End</Table.Th>
              {hasSpeakers && <Table.Th>Speaker</Table.Th>}
              <Table.Th>Text</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, maxRows).map(({ start, end, text, speaker }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end
              <Table.Tr key={at}>
                <Table.Td>{timeText(start)}</Table.Td>
                <Table.Td>{timeText(end)}</Table.Td>
                {hasSpeakers && <Table.Td>{speaker}</Table.Td>}
                <Table.Td>{text.trim()}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length > maxRows && <Text size="sm">… and {rows.length - maxRows} more</Text>}
    </ResultSection>
  );
}
