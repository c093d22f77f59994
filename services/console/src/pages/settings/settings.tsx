import { Page } from '../layout/page.tsx';
import { RecordTabs } from '../layout/record-tabs.tsx';
import { CatalogView } from './catalog-view.tsx';
import { HealthCheck } from './health-check.tsx';
import { RejectedRecords } from './rejected-records.tsx';
import { SettingTable } from './setting-table.tsx';

/** What admins look at when they look after the installation. */
export function Settings() {
  return (
    <Page
      title="Settings"
      about="The health of the installation, the settings of control, and the catalog in force. Settings are changed where the gateway is started."
    >
      <RecordTabs
        label="Parts of the settings"
        tabs={[
          { value: 'health', label: 'Health check', content: <HealthCheck /> },
          { value: 'settings', label: 'Settings in force', content: <SettingTable /> },
          { value: 'catalog', label: 'Catalog', content: <CatalogView /> },
          { value: 'rejected', label: 'Rejected records', content: <RejectedRecords /> },
        ]}
      />
    </Page>
  );
}
