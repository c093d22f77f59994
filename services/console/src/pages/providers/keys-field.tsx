import {
  Fieldset,
  Group,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { randomKey } from '../layout/random-key.ts';
import { AddButton } from '../settings-form/add-button.tsx';
import { RemoveButton } from '../settings-form/remove-button.tsx';
import { type Messages, messageAt, messageIn } from '../settings-form/setting-props.ts';
import classes from '../settings-form/settings-form.module.css';
import { type KeyDraft, type KeysDraft, newKey } from './keys-draft.ts';
import { SecretField } from './secret-field.tsx';

interface KeysProps {
  draft: KeysDraft;
  onChange(part: Partial<KeysDraft>): void;
  errors: Messages;
}

const leastKeys: Record<KeysDraft['keyCount'], number> = { none: 0, one: 1, several: 2 };

/** The fields for the API keys of a provider: none, one, or several with names and weights. */
export function KeysField({ draft: { keyCount, keys }, onChange, errors }: KeysProps) {
  const [only, ...others] = keys;
  const change = (key: string, part: Partial<KeyDraft>) =>
    onChange({ keys: keys.map(each => (each.key === key ? { ...each, ...part } : each)) });
  const choose = (chosen: KeysDraft['keyCount']) => {
    const missing = Math.max(0, leastKeys[chosen] - keys.length);
    const added = Array.from({ length: missing }, () => newKey(randomKey()));
    onChange({ keyCount: chosen, keys: [...keys, ...added] });
  };
  return (
    <Fieldset legend="API keys">
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Number of API keys"
          className={classes.start}
          data={[
            { value: 'none', label: 'None' },
            { value: 'one', label: 'One' },
            { value: 'several', label: 'Several' },
          ]}
          value={keyCount}
          onChange={choose}
          transitionDuration={0}
        />
        {keyCount === 'one' && only && (
          <SecretField
            label="Where it comes from"
            value={only.secret}
            onChange={secret => change(only.key, { secret })}
            error={messageIn(errors, 'apiKey')}
          />
        )}
        {keyCount === 'one' && others.length > 0 && (
          <Text size="sm">Only the first key, {only?.name || '1'}, is kept.</Text>
        )}
        {keyCount === 'several' && (
          <SeveralKeys
            keys={keys}
            onChange={changed => onChange({ keys: changed })}
            change={change}
            errors={errors}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

function SeveralKeys({
  keys,
  onChange,
  change,
  errors,
}: {
  keys: KeyDraft[];
  onChange(keys: KeyDraft[]): void;
  change(key: string, part: Partial<KeyDraft>): void;
  errors: Messages;
}) {
  return (
    <>
      <Text size="sm" c="dimmed">
        The first key of a request is drawn by weight. If it is refused or used up, it rests, and the next one
        is tried.
      </Text>
      {keys.map((each, place) => (
        <KeyFields
          key={each.key}
          draft={each}
          place={place}
          onChange={part => change(each.key, part)}
          onRemove={() => onChange(keys.filter(other => other !== each))}
          errors={errors}
        />
      ))}
      <AddButton
        problem={messageAt(errors, 'apiKeys')}
        onClick={() => onChange([...keys, newKey(randomKey())])}
      >
        Add a key
      </AddButton>
    </>
  );
}

function KeyFields({
  draft: { name, weight, secret },
  place,
  onChange,
  onRemove,
  errors,
}: {
  draft: KeyDraft;
  place: number;
  onChange(part: Partial<KeyDraft>): void;
  onRemove(): void;
  errors: Messages;
}) {
  const title = `API key ${place + 1}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be read with both legends
    <div role="group" aria-label={title} className={classes.entry}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <RemoveButton label={`Remove the API key ${name || place + 1}`} onClick={onRemove} />
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        <TextInput
          label="Name"
          description="The name by which it rests and is shown."
          placeholder={String(place + 1)}
          value={name}
          onChange={event => onChange({ name: event.currentTarget.value })}
          error={messageAt(errors, 'apiKeys', place, 'name')}
          spellCheck={false}
          autoCapitalize="off"
        />
        <NumberInput
          label="Weight"
          description="Its share of requests beside the others."
          placeholder="1"
          value={weight}
          onChange={typed => onChange({ weight: typed === '' ? '' : Number(typed) })}
          error={messageAt(errors, 'apiKeys', place, 'weight')}
          hideControls
        />
        <SecretField
          label="Where it comes from"
          value={secret}
          onChange={typed => onChange({ secret: typed })}
          error={messageIn(errors, 'apiKeys', place, 'key')}
        />
      </SimpleGrid>
    </div>
  );
}
