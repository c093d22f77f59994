import { Page } from '../layout/page.tsx';

export function Projects() {
  return <Page title="Projects">{null}</Page>;
}
