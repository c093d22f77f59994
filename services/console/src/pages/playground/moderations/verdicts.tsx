import { Group, Table, Text } from '@mantine/core';
import { Mark } from '../../layout/mark.tsx';
import { WideTable } from '../../layout/wide-table.tsx';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import { ResultSection } from '../operation/result-section.tsx';
import { categoriesOf, flaggedFor, type ModerationsAnswer, typesOf, type Verdict } from './answer.ts';
import type { Input } from './input.ts';
import classes from './verdicts.module.css';

interface VerdictsProps {
  inputs: readonly Input[];
  answer: ModerationsAnswer;
}

/** The inputs, each with the categories for which it is flagged. */
export function Verdicts({ inputs, answer }: VerdictsProps) {
  return (
    <ResultSection title="Results">
      <ol className={classes.verdicts}>
        {answer.results.map((verdict, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result has no identity but its place
          <li key={index} data-flagged={verdict.flagged}>
            <InputView input={inputs[index]} />
            <VerdictMark verdict={verdict} />
          </li>
        ))}
      </ol>
    </ResultSection>
  );
}

function InputView({ input }: { input: Input | undefined }) {
  return (
    <>
      <span className={classes.text}>{input?.text}</span>
      {input && input.images.length > 0 && (
        <Group gap="xs" my={4}>
          {input.images.map((image, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same image may be attached twice
            <AttachmentView key={place} media={image} />
          ))}
        </Group>
      )}
    </>
  );
}

function VerdictMark({ verdict }: { verdict: Verdict }) {
  if (!verdict.flagged) return <Mark variant="default">Not flagged</Mark>;
  const categories = flaggedFor(verdict);
  return (
    <div className={classes.flagged}>
      <Mark color="red">⚑ Flagged</Mark>
      {categories.length > 0 && <Text size="sm">{categories.join(', ')}</Text>}
    </div>
  );
}

/** The score of each category for each input, and what it was scored by if there are images. A flagged one has a flag and is bold. */
export function Categories({ inputs, answer: { results } }: VerdictsProps) {
  const hasImages = inputs.some(({ images }) => images.length > 0);
  return (
    <ResultSection title="Categories">
      <Text size="sm" c="dimmed">
        The score of each category, from 0 to 1. ⚑ marks those for which the model flags the input.
      </Text>
      <WideTable label="Categories" minWidth={160 + results.length * 80}>
        <Table aria-label="Categories" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Category</Table.Th>
              {hasImages && <Table.Th scope="col">Scored by</Table.Th>}
              {results.map((_, index) => (
                <Table.Th
                  // biome-ignore lint/suspicious/noArrayIndexKey: a result has no identity but its place
                  key={index}
                  scope="col"
                  title={inputs[index]?.text}
                  className={classes.score as string}
                >
                  Input {index + 1}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {categoriesOf(results).map(category => (
              <Table.Tr key={category}>
                <Table.Th scope="row" className={classes.category as string}>
                  {category}
                </Table.Th>
                {hasImages && <Table.Td>{typesOf(results, category)}</Table.Td>}
                {results.map((verdict, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a result has no identity but its place
                  <Score key={index} verdict={verdict} category={category} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </ResultSection>
  );
}

function Score({ verdict, category }: { verdict: Verdict; category: string }) {
  const flagged = verdict.categories[category] === true;
  const score = verdict.category_scores[category]?.toFixed(4) ?? '–';
  return (
    <Table.Td className={classes.score as string} data-flagged={flagged}>
      {flagged && (
        <span role="img" aria-label="Flagged">
          ⚑
        </span>
      )}{' '}
      {score}
    </Table.Td>
  );
}
