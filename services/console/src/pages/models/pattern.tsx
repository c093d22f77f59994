import { Code, Stack, Text, TextInput } from '@mantine/core';
import type { ModelInfo } from '@model-gateway/admin-api';
import { Section } from '../layout/page.tsx';

/** True if a pattern with one `*` matches a name. */
export function nameFits(pattern: string, name: string): boolean {
  const [before = '', after = ''] = pattern.split('*');
  return (
    name.length >= before.length + after.length &&
    name.startsWith(before) &&
    name.endsWith(after) &&
    !name.includes('*')
  );
}

/** Tells which names a model with a `*` stands for, and what a name becomes at its targets. */
export function Pattern({
  model: { name, targets },
  tried,
  onTry,
}: {
  model: ModelInfo;
  tried: string;
  onTry(name: string): void;
}) {
  const [before = '', after = ''] = name.split('*');
  const fits = nameFits(name, tried);
  const matched = tried.slice(before.length, tried.length - after.length);
  const ends = [before && `begins with ${before}`, after && `ends with ${after}`]
    .filter(Boolean)
    .join(' and ');
  return (
    <Section title="Matching names">
      <Stack gap="xs">
        <Text size="sm">
          Every name {ends ? `that ${ends}` : 'at all'}, unless another model has exactly that name or a
          longer pattern. The text that <Code>*</Code> matched takes the place of <Code>*</Code> at the
          target.
        </Text>
        <TextInput
          label="Try a name"
          size="xs"
          maw={320}
          placeholder={name.replace('*', 'something')}
          value={tried}
          onChange={event => onTry(event.currentTarget.value)}
          error={tried !== '' && !fits && `${name} does not match this name.`}
          spellCheck={false}
          autoCapitalize="off"
        />
        {fits &&
          targets.map(({ provider, model }) => (
            <Text key={`${provider} ${model}`} size="sm">
              <Code>{tried}</Code> is <Code>{model.replace('*', () => matched)}</Code> at {provider}.
            </Text>
          ))}
      </Stack>
    </Section>
  );
}
