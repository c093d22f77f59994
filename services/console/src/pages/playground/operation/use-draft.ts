import { useSessionStorage } from '@mantine/hooks';

/**
 * Holds what was typed into a tab, and keeps it for this browser tab: it is still there after a reload, and after another tab of the
 * Playground. Values without a place in JSON, such as files, do not belong here.
 */
export function useDraft<Draft extends object>(
  tab: string,
  empty: Draft,
): [draft: Draft, change: (part: Partial<Draft>) => void] {
  const [stored, store] = useSessionStorage<Draft>({
    key: `model-gateway.playground.${tab}`,
    defaultValue: empty,
    getInitialValueInEffect: false,
  });
  // A draft of an older version of the page may lack fields.
  const draft = { ...empty, ...stored };
  return [draft, part => store(before => ({ ...empty, ...before, ...part }))];
}
