import { Table, Text } from '@mantine/core';
import { z } from 'zod/mini';
import { Copy } from '../../layout/code-block.tsx';
import { WideTable } from '../../layout/wide-table.tsx';
import type { Operation, OperationProps } from '../operation/operation.ts';
import { OperationTab } from '../operation/operation-page.tsx';
import { readJson } from '../operation/read-answer.ts';
import { jsonRequest } from '../operation/request.ts';
import { ResultSection } from '../operation/run-view.tsx';
import classes from './embeddings.module.css';

/** The answer of `POST /v1/embeddings`, as far as the console reads it. */
const embeddingsAnswer = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })),
  usage: z.nullish(z.object({ prompt_tokens: z.number() })),
});

/** An answer, and the texts that it was made from. */
interface Embedded {
  texts: string[];
  answer: z.infer<typeof embeddingsAnswer>;
}

interface Draft {
  inputs: string[];
  dimensions: number | null;
  purpose: string | null;
}

const empty: Draft = { inputs: ['', ''], dimensions: null, purpose: null };
const purposes = [
  { value: 'query', label: 'Search query' },
  { value: 'document', label: 'Document to find' },
  { value: 'classification', label: 'Classification' },
  { value: 'clustering', label: 'Clustering' },
];

function textsOf({ inputs }: Draft): string[] {
  return inputs.filter(text => text.trim() !== '');
}

const operation: Operation<Draft, Embedded> = {
  title: 'Embeddings',
  about: 'Turn texts into vectors, and see how similar they are.',
  ...{ format: 'embeddings', path: '/v1/embeddings', answer: 'Vectors', empty },
  fields: () => [{ type: 'texts', name: 'inputs', label: 'Inputs', noun: 'Input' }],
  settings: () => [
    { type: 'number', name: 'dimensions', label: 'Dimensions', min: 1 },
    {
      ...{ type: 'choice', name: 'purpose', label: 'Input type', placeholder: 'Not sent', data: purposes },
      description: 'Sent as input_type. Not every model takes it.',
    },
  ],
  verb: () => 'Embed',
  missing: draft => textsOf(draft).length === 0 && 'Write at least one input.',
  request: (model, draft) =>
    jsonRequest('/v1/embeddings', {
      ...{ model, input: textsOf(draft), dimensions: draft.dimensions, input_type: draft.purpose },
      encoding_format: 'float',
    }),
  read: draft => async reading => ({
    texts: textsOf(draft),
    answer: await readJson(reading, embeddingsAnswer),
  }),
  used: ({ answer }) => ({ input: answer.usage?.prompt_tokens }),
  show: embedded => (
    <>
      <Vectors {...embedded} />
      {embedded.texts.length > 1 && <Similarities {...embedded} />}
    </>
  ),
};

/** The tab for embeddings: several inputs, their vectors, and how similar they are. */
export function Embeddings(props: OperationProps) {
  return <OperationTab operation={operation} {...props} />;
}

/** The vectors of an answer, each with its input, its length and its first values. */
function Vectors({ texts, answer }: Embedded) {
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

/** The most inputs that are compared: a larger table cannot be read. */
const maxCompared = 30;

/** The similarity of each input with each other, as a table whose cells are the darker the more similar two inputs are. */
function Similarities({ texts, answer }: Embedded) {
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

/** Returns the cosine of the angle between two vectors, from -1 to 1; 0 if one of them has no length. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  const lengths = length(one) * length(other);
  if (lengths === 0) return 0;
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return Math.max(-1, Math.min(1, product / lengths));
}

/** Returns the length of a vector (its Euclidean norm). */
export function length(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
