import { Page } from '../layout/page.tsx';

export function Users() {
  return <Page title="Users">{null}</Page>;
}
