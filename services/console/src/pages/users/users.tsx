import { Route, Routes } from 'react-router';
import { User } from './user.tsx';
import { UserList } from './user-list.tsx';

/** The list of users, and the page of one. */
export function Users() {
  return (
    <Routes>
      <Route index element={<UserList />} />
      <Route path=":name" element={<User />} />
    </Routes>
  );
}
