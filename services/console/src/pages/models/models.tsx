import type { ModelSettings } from '@model-gateway/admin-api';
import { Route, Routes } from 'react-router';
import { EditEntry, NewEntry } from '../catalog/entry-form.tsx';
import { settingsOfModel } from '../catalog/settings-of.ts';
import { NotFound } from '../shell/not-found.tsx';
import { ModelFields } from './model-fields.tsx';
import { ModelList } from './model-list.tsx';
import { ModelPage } from './model-page.tsx';

/** The pages of models: the list, one model, and the forms. */
export function Models() {
  return (
    <Routes>
      <Route index element={<ModelList />} />
      <Route path="new/model" element={<NewModel />} />
      <Route path=":name" element={<ModelPage />} />
      <Route
        path=":name/edit"
        element={<EditEntry kind="model" settingsOf={settingsOfModel} Fields={ModelFields} />}
      />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}

const blank: ModelSettings = { name: '', targets: [{ provider: '', model: '' }] };

function NewModel() {
  return (
    <NewEntry
      kind="model"
      about="A name that clients request. It can be used a second after it is saved."
      blank={blank}
      Fields={ModelFields}
    />
  );
}
