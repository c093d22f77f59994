import { Route, Routes } from 'react-router';
import { NotFound } from '../shell/not-found.tsx';
import { EditProvider, NewProvider } from './edit-provider.tsx';
import { ProviderList } from './provider-list.tsx';
import { ProviderPage } from './provider-page.tsx';

/** The pages of providers: the list, one provider, and the forms. */
export function Providers() {
  return (
    <Routes>
      <Route index element={<ProviderList />} />
      <Route path="new/provider" element={<NewProvider />} />
      <Route path=":name" element={<ProviderPage />} />
      <Route path=":name/edit" element={<EditProvider />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
