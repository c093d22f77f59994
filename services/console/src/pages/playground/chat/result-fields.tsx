import { Checkbox, Textarea } from '@mantine/core';
import type { ToolCallPart } from '../conversation/part.ts';
import type { Draft } from '../saved/draft.ts';
import classes from './composer.module.css';

const noResult = { text: '', isError: false };

/** Fields to answer the calls of the last answer by hand. */
export function ResultFields({
  calls,
  results,
  onChange,
}: {
  calls: readonly ToolCallPart[];
  results: Draft['results'];
  onChange(results: Draft['results']): void;
}) {
  if (calls.length === 0) return null;
  return (
    <div className={classes.results}>
      {calls.map(({ id, name, arguments: called }) => {
        const result = results[id] ?? noResult;
        const change = (changed: Partial<typeof result>) =>
          onChange({ ...results, [id]: { ...result, ...changed } });
        return (
          <div key={id}>
            <Textarea
              label={`Result of ${name}`}
              description={called}
              autosize
              maxRows={6}
              value={result.text}
              onChange={event => change({ text: event.currentTarget.value })}
            />
            <Checkbox
              mt={6}
              size="xs"
              label="This is an error"
              checked={result.isError}
              onChange={event => change({ isError: event.currentTarget.checked })}
            />
          </div>
        );
      })}
    </div>
  );
}
