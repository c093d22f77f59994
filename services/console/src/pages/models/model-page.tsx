import { Anchor, Stack } from '@mantine/core';
import type { ModelInfo } from '@model-gateway/admin-api';
import { Link, useParams } from 'react-router';
import { EntryActions } from '../catalog/entry-actions.tsx';
import { EntryNotes } from '../catalog/entry-marks.tsx';
import { EntryText } from '../catalog/entry-text.tsx';
import { settingsOfModel } from '../catalog/settings-of.ts';
import { TestTarget } from '../catalog/test-target.tsx';
import { Page, PageLink, Section } from '../layout/page.tsx';
import { useResource } from '../layout/reading.ts';
import { RecordTabs } from '../layout/record-tabs.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { ModelPrices } from './model-prices.tsx';
import { ModelSettings } from './model-settings.tsx';
import { nameFits, Pattern } from './pattern.tsx';
import { RoutePicture } from './route-picture.tsx';

/** One model: its route, its prices, its settings, and a test. */
export function ModelPage() {
  const { name = '' } = useParams();
  const { session } = useSession();
  const { value, etag, error, reload } = useResource('showCatalogModel', { params: { name } });
  return (
    <Page
      title={name}
      about={
        <Anchor component={Link} to="/models" size="sm">
          All models
        </Anchor>
      }
      actions={
        value && (
          <>
            <PageLink to="/requests" query={{ model: name }}>
              Requests
            </PageLink>
            <PageLink to="/usage" query={{ model: name }}>
              Usage
            </PageLink>
            {may(session, 'setModel') && <EntryActions kind="model" entry={value} etag={etag} />}
          </>
        )
      }
    >
      {value ? <Model model={value} /> : error ? null : <Loading what={name} />}
      {error ? <Failed error={error} onRetry={() => void reload()} /> : null}
    </Page>
  );
}

function Model({ model }: { model: ModelInfo }) {
  return (
    <>
      <EntryNotes entry={model} />
      <RecordTabs
        label="Parts of the model"
        tabs={[
          { value: 'route', label: 'Route', content: <RouteTab model={model} /> },
          { value: 'settings', label: 'Settings', content: <ModelSettings model={model} /> },
          {
            value: 'text',
            label: 'As text',
            content: <EntryText list="models" entry={settingsOfModel(model)} />,
          },
        ]}
      />
    </>
  );
}

function RouteTab({ model }: { model: ModelInfo }) {
  const { session } = useSession();
  const { values, set } = useFilters(['try']);
  const isPattern = model.name.includes('*');
  const tried = isPattern && nameFits(model.name, values.try) ? values.try : undefined;
  return (
    <Stack>
      <Section title="Route">
        <RoutePicture model={model} />
      </Section>
      {isPattern && <Pattern model={model} tried={values.try} onTry={name => set({ try: name })} />}
      <ModelPrices name={tried ?? model.name} />
      {may(session, 'testModel') && (
        <Section title={isPattern && tried ? `Test of ${tried}` : 'Test'}>
          <TestTarget
            key={tried}
            endpoint="testModel"
            name={model.name}
            model={tried ?? ''}
            hint={isPattern && !tried ? 'Enter a name above first: a test needs one.' : undefined}
          />
        </Section>
      )}
    </Stack>
  );
}
