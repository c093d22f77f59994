import { Table } from '@mantine/core';
import { Copy } from '../../layout/code-block.tsx';
import { WideTable } from '../../layout/wide-table.tsx';
import { ResultSection } from '../operation/result-section.tsx';
import type { EmbeddingsAnswer } from './answer.ts';
import classes from './embeddings.module.css';
import { length } from './similarity.ts';

/** The vectors of an answer, each with its input, its length and its first values. */
export function Vectors({ texts, answer }: { texts: readonly string[]; answer: EmbeddingsAnswer }) {
  return (
    <ResultSection title="Vectors">
      <WideTable label="Vectors" minWidth={520}>
        <Table aria-label="Vectors" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Input</Table.Th>
              <Table.Th>Dimensions</Table.Th>
              <Table.Th>Length</Table.Th>
              <Table.Th>Values</Table.Th>
              <Table.Th aria-label="Copy" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {answer.data.map(({ index, embedding }) => (
              <Table.Tr key={index}>
                <Table.Td className={classes.input} title={texts[index]}>
                  {texts[index]}
                </Table.Td>
                <Table.Td>{embedding.length}</Table.Td>
                <Table.Td>{length(embedding).toFixed(3)}</Table.Td>
                <Table.Td className={classes.values}>
                  {embedding
                    .slice(0, 4)
                    .map(value => value.toFixed(4))
                    .join(', ')}
                  {embedding.length > 4 && ', …'}
                </Table.Td>
                <Table.Td>
                  <Copy text={JSON.stringify(embedding)} label={`Copy ${index + 1}`} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </ResultSection>
  );
}
