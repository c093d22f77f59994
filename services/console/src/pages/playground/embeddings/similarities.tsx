import { Table, Text } from '@mantine/core';
import { WideTable } from '../../layout/wide-table.tsx';
import { ResultSection } from '../operation/result-section.tsx';
import type { EmbeddingsAnswer } from './answer.ts';
import classes from './embeddings.module.css';
import { cosine } from './similarity.ts';

/** The most inputs that are compared: a larger table cannot be read. */
const maxCompared = 30;

/** The similarity of each input with each other, as a table whose cells are the darker the more similar two inputs are. */
export function Similarities({ texts, answer }: { texts: readonly string[]; answer: EmbeddingsAnswer }) {
  const vectors = answer.data.slice(0, maxCompared);
  return (
    <ResultSection title="Similarity">
      <Text size="sm" c="dimmed">
        The cosine of each two vectors: 1 is the same direction, 0 is unrelated.
        {answer.data.length > maxCompared && ` Only the first ${maxCompared} inputs are compared.`}
      </Text>
      <WideTable label="Similarity" minWidth={120 + vectors.length * 56}>
        <Table
          aria-label="Similarity"
          withRowBorders={false}
          className={classes.heat as string}
          layout="auto"
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th aria-label="Input" />
              {vectors.map(({ index }) => (
                <Table.Th key={index} scope="col" title={texts[index]} className={classes.number as string}>
                  {index + 1}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {vectors.map(row => (
              <Table.Tr key={row.index}>
                <Table.Th scope="row" className={classes.input as string} title={texts[row.index]}>
                  {row.index + 1}. {texts[row.index]}
                </Table.Th>
                {vectors.map(column => (
                  <Cell key={column.index} value={cosine(row.embedding, column.embedding)} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </ResultSection>
  );
}

function Cell({ value }: { value: number }) {
  const strength = Math.round(Math.max(0, value) * 45);
  const background = `color-mix(in srgb, var(--mantine-color-indigo-5) ${strength}%, transparent)`;
  return (
    <Table.Td className={classes.number as string} style={{ background }}>
      {value.toFixed(2)}
    </Table.Td>
  );
}
