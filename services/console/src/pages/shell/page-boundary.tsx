import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode, useEffect, useRef } from 'react';
import { useConnected } from './connection.ts';

/** Shows a notice in place of a page that failed, such as one whose code could not be loaded; the rest of the console stays. */
export class PageBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return this.state.error === undefined ? this.props.children : <PageFailed error={this.state.error} />;
  }
}

/** Offers to reload the console. If the connection was lost, that is done as soon as it is back. */
function PageFailed({ error }: { error: unknown }) {
  const connected = useConnected();
  const wasLost = useRef(false);
  useEffect(() => {
    if (!connected) wasLost.current = true;
    else if (wasLost.current) location.reload();
  }, [connected]);
  return (
    <Alert color="red" role="alert" title="This page could not be shown" m="md" maw={640}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          The gateway did not send it, or was updated since you opened the console. Reload the console to go
          on.
        </Text>
        <Text size="xs">{error instanceof Error ? error.message : String(error)}</Text>
        <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      </Stack>
    </Alert>
  );
}
