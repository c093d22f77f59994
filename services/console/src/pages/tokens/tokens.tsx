import { Route, Routes } from 'react-router';
import { EditToken, NewTokenPage } from './token-form.tsx';
import { TokenList } from './token-list.tsx';
import { TokenPage } from './token-page.tsx';

/** The pages of tokens: the list, a new one, and one with its settings. */
export function Tokens() {
  return (
    <Routes>
      <Route index element={<TokenList />} />
      <Route path="new" element={<NewTokenPage />} />
      <Route path=":id" element={<TokenPage />} />
      <Route path=":id/edit" element={<EditToken />} />
    </Routes>
  );
}
