import { Table, Text, Title } from '@mantine/core';
import { Mark } from '../../layout/mark.tsx';
import { categoriesOf, flaggedFor, type ModerationsAnswer, type Verdict } from './answer.ts';
import classes from './verdicts.module.css';

interface VerdictsProps {
  texts: readonly string[];
  answer: ModerationsAnswer;
}

/** The inputs, each with the categories for which it is flagged. */
export function Verdicts({ texts, answer }: VerdictsProps) {
  return (
    <section aria-label="Results">
      <Title order={2} size="h5">
        Results
      </Title>
      <ol className={classes.verdicts}>
        {answer.results.map((verdict, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result has no identity but its place
          <li key={index} data-flagged={verdict.flagged}>
            <span className={classes.text}>{texts[index]}</span>
            <VerdictMark verdict={verdict} />
          </li>
        ))}
      </ol>
    </section>
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

/** The score of each category for each input. A flagged one has a flag and is bold. */
export function Categories({ texts, answer: { results } }: VerdictsProps) {
  return (
    <section aria-label="Categories">
      <Title order={2} size="h5">
        Categories
      </Title>
      <Text size="sm" c="dimmed">
        The score of each category, from 0 to 1. ⚑ marks those for which the model flags the input.
      </Text>
      <Table.ScrollContainer
        minWidth={160 + results.length * 80}
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table aria-label="Categories" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Category</Table.Th>
              {results.map((_, index) => (
                <Table.Th
                  // biome-ignore lint/suspicious/noArrayIndexKey: a result has no identity but its place
                  key={index}
                  scope="col"
                  title={texts[index]}
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
                {results.map((verdict, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a result has no identity but its place
                  <Score key={index} verdict={verdict} category={category} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
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
