import { Page } from '../layout/page.tsx';

export function Accounts() {
  return <Page title="Accounts">{null}</Page>;
}
