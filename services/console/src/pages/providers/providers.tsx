import type { ProviderSettings } from '@model-gateway/admin-api';
import { Route, Routes } from 'react-router';
import { EditEntry, NewEntry } from '../catalog/entry-form.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { formSettings } from './kept-keys.ts';
import { ProviderFields } from './provider-fields.tsx';
import { ProviderList } from './provider-list.tsx';
import { ProviderPage } from './provider-page.tsx';

/** The pages of providers: the list, one provider, and the forms. */
export function Providers() {
  return (
    <Routes>
      <Route index element={<ProviderList />} />
      <Route path="new/provider" element={<NewProvider />} />
      <Route path=":name" element={<ProviderPage />} />
      <Route
        path=":name/edit"
        element={<EditEntry kind="provider" settingsOf={formSettings} Fields={ProviderFields} />}
      />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}

const blank: ProviderSettings = { name: '', kind: 'openai-compatible' };

function NewProvider() {
  return (
    <NewEntry
      kind="provider"
      about="A server of models. Models can use it as a target once it is saved."
      blank={blank}
      Fields={ProviderFields}
    />
  );
}
