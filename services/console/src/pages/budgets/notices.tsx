import { Text } from '@mantine/core';
import { useResource } from '../layout/use-resource.ts';

/** The default of control. */
const usualThresholds = '50,80,100';

/** The receivers of notices of spent budgets, by the settings of control. */
export function Notices() {
  const { value } = useResource('showSettings');
  const settingOf = (name: string) => value?.data.find(setting => setting.name === name)?.value;
  if (!value) return null;
  const thresholds = settingOf('GATEWAY_BUDGET_THRESHOLDS') ?? usualThresholds;
  const percent = thresholds.split(',').join(', ');
  return (
    <Text size="xs" c="dimmed">
      {settingOf('GATEWAY_BUDGET_WEBHOOK')
        ? `Notices are sent to the webhook, and written to the log, at ${percent} percent.`
        : `Notices are written to the log at ${percent} percent. Set GATEWAY_BUDGET_WEBHOOK to have them sent as well.`}
    </Text>
  );
}
