import { Group, Stack, Table, Text } from '@mantine/core';
import { z } from 'zod/mini';
import { Mark } from '../../layout/mark.tsx';
import { WideTable } from '../../layout/wide-table.tsx';
import { onlyImages } from '../attachments/attach.ts';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import { Attached, DropFiles, FilesButton, useAttach } from '../attachments/attachments.tsx';
import { dataUrl, type MediaPart } from '../conversation/part.ts';
import type { DraftProps } from '../operation/fields.tsx';
import type { Operation, OperationProps } from '../operation/operation.ts';
import { OperationTab } from '../operation/operation-page.tsx';
import { readJson } from '../operation/read-answer.ts';
import { jsonRequest } from '../operation/request.ts';
import { ResultSection } from '../operation/run-view.tsx';
import { TextList } from '../operation/text-list.tsx';
import classes from './moderations.module.css';

const result = z.object({
  flagged: z.boolean(),
  /** A model that does not know a category says null. */
  categories: z.record(z.string(), z.nullable(z.boolean())),
  category_scores: z.record(z.string(), z.nullable(z.number())),
  /** The types of input that each category was scored by: `text`, `image`. */
  category_applied_input_types: z.nullish(z.record(z.string(), z.nullable(z.array(z.string())))),
});

/** The answer of `POST /v1/moderations`, as far as the console reads it. */
export const moderationsAnswer = z.object({
  results: z.array(result),
  usage: z.nullish(z.object({ prompt_tokens: z.nullish(z.number()), total_tokens: z.nullish(z.number()) })),
});
type Verdict = z.infer<typeof result>;

/** An input, which gets a result of its own. */
export interface Input {
  text: string;
  images: readonly MediaPart[];
}

/** Returns the inputs of a request. Each text is one, but texts with images are one together. */
export function inputsOf(texts: readonly string[], images: readonly MediaPart[]): Input[] {
  if (images.length === 0) return texts.map(text => ({ text, images }));
  return [{ text: texts.join('\n'), images }];
}

/** Returns the field `input` of a request. */
export function inputField(texts: readonly string[], images: readonly MediaPart[]): unknown[] {
  if (images.length === 0) return [...texts];
  return [
    ...texts.map(text => ({ type: 'text', text })),
    ...images.map(image => ({ type: 'image_url', image_url: { url: dataUrl(image) } })),
  ];
}

interface Draft {
  inputs: string[];
  images: MediaPart[];
}

/** An answer, and the inputs that it was made from. */
interface Moderated {
  inputs: readonly Input[];
  answer: z.infer<typeof moderationsAnswer>;
}

function textsOf({ inputs }: Draft): string[] {
  return inputs.filter(text => text.trim() !== '');
}

const operation: Operation<Draft, Moderated> = {
  title: 'Moderations',
  about: 'See whether texts and images break a policy, by category.',
  ...{ format: 'moderations', path: '/v1/moderations', answer: 'Moderation' },
  ...{ empty: { inputs: [''], images: [] }, files: ['images'] },
  fields: () => [{ type: 'own', label: 'Inputs', Input: InputFields }],
  settings: () => [],
  verb: () => 'Moderate',
  missing: draft =>
    textsOf(draft).length + draft.images.length === 0 && 'Write or attach at least one input.',
  request: (model, draft) =>
    jsonRequest('/v1/moderations', { model, input: inputField(textsOf(draft), draft.images) }),
  read: draft => async reading => ({
    inputs: inputsOf(textsOf(draft), draft.images),
    answer: await readJson(reading, moderationsAnswer),
  }),
  used: ({ answer: { usage } }) => ({ input: usage?.prompt_tokens ?? usage?.total_tokens ?? undefined }),
  show: moderated => (
    <>
      <Verdicts {...moderated} />
      <Categories {...moderated} />
    </>
  ),
};

/** The tab for moderations: several texts, or texts and images that are one input, and the categories for which each is flagged. */
export function Moderations(props: OperationProps) {
  return <OperationTab operation={operation} {...props} />;
}

/** The fields for texts, and images that are attached by button, drop and paste. */
function InputFields({ draft: { inputs, images }, change }: DraftProps<Draft>) {
  const attach = (images: MediaPart[]) => change({ images });
  const { refused, add, onPaste } = useAttach(images, attach, onlyImages);
  return (
    <Stack gap="xs" onPaste={onPaste}>
      <DropFiles nouns={onlyImages.nouns} onDrop={add} />
      <TextList legend="Inputs" noun="Input" texts={inputs} onChange={inputs => change({ inputs })} />
      <Attached files={images} onChange={attach} problem={refused} />
      <Group gap="xs">
        <FilesButton multiple accept={onlyImages.accept} label="Images to attach" onChoose={add}>
          Attach images
        </FilesButton>
        {images.length > 0 && (
          <Text size="xs" c="dimmed">
            With images, all inputs are classified together, by a model that takes images.
          </Text>
        )}
      </Group>
    </Stack>
  );
}

/** The inputs, each with the categories for which it is flagged. */
function Verdicts({ inputs, answer }: Moderated) {
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
function Categories({ inputs, answer: { results } }: Moderated) {
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

/** Returns the categories of all results, those with the highest score first. */
export function categoriesOf(results: readonly Verdict[]): string[] {
  const names = new Set(
    results.flatMap(({ categories, category_scores: scores }) => [
      ...Object.keys(categories),
      ...Object.keys(scores),
    ]),
  );
  const highest = (name: string) =>
    Math.max(...results.map(({ category_scores: scores }) => scores[name] ?? 0));
  return [...names].sort((one, other) => highest(other) - highest(one));
}

/** Returns the categories for which an input is flagged. */
export function flaggedFor({ categories }: Verdict): string[] {
  return Object.keys(categories).filter(name => categories[name]);
}

/** Returns the types of input that a category was scored by, such as `text, image`. */
export function typesOf(results: readonly Verdict[], category: string): string {
  const types = results.flatMap(({ category_applied_input_types: applied }) => applied?.[category] ?? []);
  return [...new Set(types)].join(', ') || '–';
}
