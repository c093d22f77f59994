import { Route, Routes } from 'react-router';
import { NotFound } from '../shell/not-found.tsx';
import { EditModel, NewModel } from './edit-model.tsx';
import { ModelList } from './model-list.tsx';
import { ModelPage } from './model-page.tsx';

/** The pages of models: the list, one model, and the forms. */
export function Models() {
  return (
    <Routes>
      <Route index element={<ModelList />} />
      <Route path="new/model" element={<NewModel />} />
      <Route path=":name" element={<ModelPage />} />
      <Route path=":name/edit" element={<EditModel />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
