import { Button, Group, Stack, Text } from '@mantine/core';
import { stringify } from 'yaml';
import { CodeBlock } from '../layout/code-block.tsx';
import { useResource } from '../layout/reading.ts';
import { Failed, Loading } from '../layout/states.tsx';

/** Everything in force in the form of gateway.yaml, to read and to download. */
export function CatalogView() {
  const { value, error, reload } = useResource('showCatalog');
  if (!value) return error ? <Failed error={error} onRetry={reload} /> : <Loading what="the catalog" />;
  const text = stringify(value);
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={620}>
          The providers, models, projects and users in force, of gateway.yaml and of the API. Secrets are
          hidden: add them before you apply the file elsewhere.
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => download('gateway.yaml', text)}>
          Download gateway.yaml
        </Button>
      </Group>
      <CodeBlock label="gateway.yaml" code={text} />
    </Stack>
  );
}

/** Saves a text as a file on the user's machine. */
function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
