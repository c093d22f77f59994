import { Progress, Text } from '@mantine/core';
import { ResultSection } from '../operation/result-section.tsx';
import type { RerankAnswer } from './answer.ts';
import classes from './ranking.module.css';

/** Documents in the order of their relevance, with their scores and their places in the request. */
export function Ranking({ documents, answer }: { documents: readonly string[]; answer: RerankAnswer }) {
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
