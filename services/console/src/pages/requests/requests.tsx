import { Page } from '../layout/page.tsx';

export function Requests() {
  return <Page title="Requests">{null}</Page>;
}
