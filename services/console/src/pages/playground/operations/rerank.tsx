import { Progress, Text } from '@mantine/core';
import { z } from 'zod/mini';
import type { Operation, OperationProps } from '../operation/operation.ts';
import { OperationTab } from '../operation/operation-page.tsx';
import { readJson } from '../operation/read-answer.ts';
import { jsonRequest } from '../operation/request.ts';
import { ResultSection } from '../operation/run-view.tsx';
import classes from './rerank.module.css';

/** The answer of `POST /v1/rerank`, as far as the console reads it. */
const rerankAnswer = z.object({
  results: z.array(z.object({ index: z.number(), relevance_score: z.number() })),
  usage: z.nullish(z.object({ total_tokens: z.number() })),
  meta: z.nullish(z.object({ billed_units: z.nullish(z.object({ search_units: z.nullish(z.number()) })) })),
});

/** An answer, and the documents that it ranks. */
interface Ranked {
  documents: string[];
  answer: z.infer<typeof rerankAnswer>;
}

interface Draft {
  query: string;
  documents: string[];
  topN: number | null;
}

const empty: Draft = { query: '', documents: ['', '', ''], topN: null };

function documentsOf({ documents }: Draft): string[] {
  return documents.filter(text => text.trim() !== '');
}

const operation: Operation<Draft, Ranked> = {
  title: 'Rerank',
  about: 'Rank documents by how well they answer a query.',
  ...{ format: 'rerank', path: '/v1/rerank', answer: 'Ranking', empty },
  fields: () => [
    { type: 'line', name: 'query', label: 'Query' },
    { type: 'texts', name: 'documents', label: 'Documents', noun: 'Document' },
  ],
  settings: () => [
    {
      ...{ type: 'number', name: 'topN', label: 'Top N', placeholder: 'All', min: 1 },
      description: 'The number of results. Sent as top_n.',
    },
  ],
  verb: () => 'Rank',
  missing: draft =>
    (draft.query.trim() === '' && 'Write a query.') ||
    (documentsOf(draft).length === 0 && 'Write at least one document.'),
  request: (model, draft) =>
    jsonRequest('/v1/rerank', {
      ...{ model, query: draft.query, documents: documentsOf(draft), top_n: draft.topN },
    }),
  read: draft => async reading => ({
    documents: documentsOf(draft),
    answer: await readJson(reading, rerankAnswer),
  }),
  used: ({ answer: { usage, meta } }) => ({
    input: usage?.total_tokens || undefined,
    searches: meta?.billed_units?.search_units ?? undefined,
  }),
  show: ranked => <Ranking {...ranked} />,
};

/** The tab for rerank: a query, documents, and the documents in the order of their relevance. */
export function Rerank(props: OperationProps) {
  return <OperationTab operation={operation} {...props} />;
}

/** Documents in the order of their relevance, with their scores and their places in the request. */
function Ranking({ documents, answer }: Ranked) {
  // Some models' scores are not from 0 to 1, so the bars are relative to the best.
  const best = Math.max(...answer.results.map(result => result.relevance_score), Number.EPSILON);
  return (
    <ResultSection title="Results">
      <ol className={classes.ranking}>
        {answer.results.map(({ index, relevance_score: score }, place) => (
          <li key={index}>
            <span className={classes.place}>{place + 1}</span>
            <div className={classes.document}>
              <span>{documents[index]}</span>
              <Text span size="xs" c="dimmed">
                Document {index + 1}
              </Text>
            </div>
            <div className={classes.score}>
              <span>{score.toFixed(4)}</span>
              <Progress
                value={Math.max(0, score / best) * 100}
                size="sm"
                aria-label={`Score of document ${index + 1}, relative to the best`}
                transitionDuration={0}
              />
            </div>
          </li>
        ))}
      </ol>
    </ResultSection>
  );
}
