import { Fieldset, SimpleGrid, Stack, TagsInput, Text } from '@mantine/core';
import { useModelNames } from '../settings-form/model-names.ts';
import { type Messages, messageAt, type SettingProps } from '../settings-form/setting-props.ts';
import { type Cause, causes, type ModelDraft } from './model-draft.ts';

const labels: Record<Cause, string> = {
  rateLimit: 'Rate limit or quota used up',
  outage: 'Its targets fail',
  contextLength: 'Prompt too long',
  contentPolicy: 'Refused by the content policy',
};

/** Fields for the models that take a request over, by cause. */
export function FallbacksField({ value, onChange, path, errors }: SettingProps<ModelDraft['fallbacks']>) {
  const names = useModelNames();
  return (
    <Fieldset legend="Fallbacks">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          The models that take over once all targets have failed, in the order in which they are tried.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {causes.map(cause => (
            <TagsInput
              key={cause}
              label={labels[cause]}
              placeholder={value[cause].length === 0 ? 'none' : ''}
              data={names}
              value={value[cause]}
              onChange={models => onChange({ ...value, [cause]: models })}
              error={messageOf(errors, path, cause, value[cause].length)}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}

/** Returns the message about a list of models, or about one of them. */
function messageOf(errors: Messages | undefined, path: string, cause: Cause, models: number) {
  const ofOne = Array.from({ length: models }, (_, place) => messageAt(errors, path, cause, place));
  return messageAt(errors, path, cause) ?? ofOne.find(Boolean);
}
