import { Stack, Tabs } from '@mantine/core';
import { Route, Routes, useLocation, useNavigate } from 'react-router';
import { Page } from '../layout/page.tsx';
import { History } from './history.tsx';
import { Live } from './live.tsx';
import { RequestPage } from './request-page.tsx';

/** The pages of requests: those in flight, those of the past, and one request. */
export function Requests() {
  return (
    <Routes>
      <Route index element={<Lists shown="live" />} />
      <Route path="history" element={<Lists shown="history" />} />
      <Route path=":id" element={<RequestPage />} />
    </Routes>
  );
}

function Lists({ shown }: { shown: 'live' | 'history' }) {
  const navigate = useNavigate();
  const { search } = useLocation();
  // Both lists know these filters; a time is of the history alone.
  const kept = new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name]) =>
      ['project', 'model', 'provider', 'owner'].includes(name),
    ),
  );
  const open = (tab: string | null) =>
    navigate({ pathname: tab === 'history' ? '/requests/history' : '/requests', search: kept.toString() });
  return (
    <Page title="Requests" about="Requests in flight, and the history.">
      <Tabs value={shown} onChange={open} keepMounted={false}>
        <Tabs.List aria-label="Requests" mb="md">
          <Tabs.Tab value="live">In flight</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={shown}>
          <Stack gap="md">{shown === 'live' ? <Live /> : <History />}</Stack>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
